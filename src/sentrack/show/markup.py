"""Clips, answers, moments and lexicons as HTML, for notebooks: no script, no file, no network."""

from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape
from itertools import groupby

import numpy as np

from sentrack.language import pieces
from sentrack.lexicon import Lexicon
from sentrack.show.key_frames import key_times
from sentrack.show.palette import hexadecimal
from sentrack.tasks import Moment, TrackedWord, Tracking
from sentrack.vision import Clip, Floats, seen_classes, surely

FRAMES = 4  # that are drawn of an answer
WIDE, BAND = 640, 14  # pixels: of rows over time, and the height of each
TILE = 154  # pixels of width, of a frame
GROUND, INK, QUIET = "#2e3238", "#1c1f24", "#555b65"
STATES = ("#9db9dd", "#bfe4da")  # a word's states, by turns
CLASSES = 8  # that are drawn of a clip


@singledispatch
def html_of(thing: object) -> str:
    """How something shows itself in a notebook."""
    return f"<pre>{escape(repr(thing))}</pre>"


@html_of.register
def _(tracking: Tracking) -> str:
    verdict = "depicted" if tracking.depicted else "not depicted"
    proof = "best tracks" if tracking.certified else "tracks not proven best"
    facts = f"<b>{verdict}</b>, match <b>{tracking.match:.2f}</b>, {_when(tracking)}, {proof}"
    notes = [tracking.reason]
    if tracking.unchecked:
        notes.append(f"not checked: {', '.join(tracking.unchecked)}")
    clip = tracking.objective.clip
    tiles = "".join(_tile(tracking, time) for time in key_times(tracking, FRAMES))
    words = [word for word in tracking.words if word.part != "noun"]
    rows = "".join(_row(word.word, _bands(word, clip)) for word in words)
    return _box(
        f'<div style="font-size:1.15em">{_sentence(tracking)}</div><div>{facts}</div>'
        f'<div style="color:{QUIET}">{escape("; ".join(notes))}</div>'
        f"<div>{tiles}</div>{_table(rows)}"
    )


@html_of.register
def _(moment: Moment) -> str:
    return _box(f"<b>{escape(moment.video)}</b>, {_when(moment)}") + html_of(moment.tracking)


@html_of.register
def _(clip: Clip) -> str:
    seen = seen_classes(clip)
    facts = f"{clip.T} frames, {clip.times[0]:.1f} to {clip.times[-1]:.1f} s, "
    facts += "{} × {} pixels, ".format(*clip.size) + f"{len(clip.boxes)} detections"
    shown = [*seen][:CLASSES]
    rows = "".join(
        _row(f"{name} ({seen[name]} frames)", _presence(clip, name, hexadecimal(n)))
        for n, name in enumerate(shown)
    )
    t = clip.T // 2
    own = slice(clip.start[t], clip.start[t + 1])
    kept = surely(clip.score)[own] & ~clip.projected[own]
    colours = {clip.classes.index(name): hexadecimal(n) for n, name in enumerate(shown)}
    boxes = [
        (box, colours[int(label)])
        for box, label in zip(clip.boxes[own][kept], clip.label[own][kept], strict=True)
        if int(label) in colours
    ]
    return _box(
        f"<b>{escape(clip.name)}</b>: {facts}"
        f'<div style="color:{QUIET}">surely seen; in the picture at {clip.times[t]:.1f} s</div>'
        f"<div>{_frame(clip, boxes, f'{clip.times[t]:.1f} s')}</div>{_table(rows)}"
    )


@html_of.register
def _(lexicon: Lexicon) -> str:
    keys = sorted(lexicon.words)
    rows = "".join(
        f"<tr><td>{escape(part)}</td><td>{escape(', '.join(name for _, name in own))}</td></tr>"
        for part, own in groupby(keys, key=lambda key: key[0])
    )
    return _box(f"<b>{escape(lexicon.name)}</b>: {escape(lexicon.about)}{_table(rows)}")


def _box(content: str) -> str:
    """Black on white, whatever the notebook's own colours are."""
    style = f"background:#fff;color:{INK};padding:0.5em;max-width:{WIDE + 260}px"
    return f'<div style="{style}">{content}</div>'


def _when(thing: Tracking | Moment) -> str:
    return f"{thing.start:.1f} to {thing.end:.1f} s"


def _sentence(tracking: Tracking) -> str:
    parts = []
    for piece in pieces(tracking.objective.meaning):
        text = escape(piece.text)
        if piece.participant is not None:
            ground = hexadecimal(piece.participant)
            text = f'<span style="background:{ground};color:#000;padding:0 3px">{text}</span>'
        parts.append(text)
    return "".join(parts)


def _tile(tracking: Tracking, time: float) -> str:
    """A frame of an answer, with the boxes of all who are seen in it."""
    clip = tracking.objective.clip
    t = int(np.abs(clip.times - time).argmin())
    boxes = [
        (participant.boxes[t], hexadecimal(n))
        for n, participant in enumerate(tracking.participants)
        if participant.seen[t]
    ]
    return _frame(clip, boxes, f"{time:.1f} s")


def _frame(clip: Clip, boxes: Iterable[tuple[Floats, str]], label: str) -> str:
    width, height = clip.size
    drawn = "".join(
        f'<rect x="{x1:.0f}" y="{y1:.0f}" width="{max(x2 - x1, 1):.0f}" '
        f'height="{max(y2 - y1, 1):.0f}" fill="none" stroke="{tint}" '
        f'stroke-width="{width / TILE * 2:.0f}"/>'
        for (x1, y1, x2, y2), tint in boxes
    )
    return (
        f'<figure style="display:inline-block;margin:4px 6px 4px 0;text-align:center">'
        f'<svg width="{TILE}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="boxes at {label}" style="background:{GROUND};display:block">{drawn}</svg>'
        f'<figcaption style="color:{QUIET};font-size:0.85em">{label}</figcaption></figure>'
    )


def _bands(word: TrackedWord, clip: Clip) -> str:
    """The states of a word over time, each as faint as it explains its frames badly."""
    parts, first = [], 0
    names = [name for name, _ in groupby(word.states)]
    for number, (name, run) in enumerate(groupby(word.states)):
        last = first + len([*run])
        light = float(np.clip((word.evidence[first:last].mean() + 2) / 4, 0.25, 1.0))
        tint = STATES[number % 2]
        text = name if len(names) > 1 else ""
        parts.append(_span(clip, first, last, tint, light if name else 0.0, text))
        first = last
    return "".join(parts)


def _presence(clip: Clip, name: str, tint: str) -> str:
    """When a class is surely seen."""
    own = (clip.label == clip.classes.index(name)) & surely(clip.score) & ~clip.projected
    there = np.bincount(clip.frame_of[own], minlength=clip.T) > 0
    parts, first = [], 0
    for shown, run in groupby(there.tolist()):
        last = first + len([*run])
        parts += [_span(clip, first, last, tint, 1.0, "")] if shown else []
        first = last
    return "".join(parts)


def _span(clip: Clip, first: int, last: int, tint: str, light: float, text: str) -> str:
    """Frames first to last - 1 of a row over time."""
    total = clip.times[-1] - clip.times[0] + clip.seconds
    x = (clip.times[first] - clip.times[0]) / total * WIDE
    end = (clip.times[last - 1] + clip.seconds - clip.times[0]) / total * WIDE
    told = f'<text x="{x + 3:.1f}" y="{BAND - 3}" font-size="10" fill="{INK}">{escape(text)}</text>'
    fits = text and len(text) * 6 < end - x
    return (
        f'<rect x="{x:.1f}" y="0" width="{end - x:.1f}" height="{BAND}" fill="{tint}" '
        f'fill-opacity="{light:.2f}"/>' + (told if fits else "")
    )


def _row(name: str, content: str) -> str:
    drawing = f'<svg width="{WIDE}" height="{BAND}" style="background:#eee">{content}</svg>'
    return f"<tr><td>{escape(name)}</td><td>{drawing}</td></tr>"


def _table(rows: str | Sequence[str]) -> str:
    return f'<table style="text-align:left">{rows}</table>' if rows else ""
