"""Answers shown: on the terminal, drawn on the video, and in a page."""

from typing import TYPE_CHECKING

from sentrack.lazy import on_demand

if TYPE_CHECKING:
    from sentrack.show.annotation import annotate
    from sentrack.show.answers import show_trackings
    from sentrack.show.drawing import outline
    from sentrack.show.entries import show_entries
    from sentrack.show.excerpt import EXCERPT_FPS, EXCERPT_WIDTH, smaller
    from sentrack.show.film_strip import strip
    from sentrack.show.lexicon import show_beside, show_word, show_words
    from sentrack.show.live import Excerpts, Hook
    from sentrack.show.markup import html_of
    from sentrack.show.moments import show_moments, write_excerpts
    from sentrack.show.palette import colour, hexadecimal
    from sentrack.show.pixels import CANVAS, pictures
    from sentrack.show.plots import plot
    from sentrack.show.progress import Bars
    from sentrack.show.report import write_report
    from sentrack.show.video_writer import VideoWriter
    from sentrack.show.view import ShownMatch, View, match_of, view_of
else:
    __getattr__ = on_demand(__name__)

__all__ = [
    "CANVAS",
    "EXCERPT_FPS",
    "EXCERPT_WIDTH",
    "Bars",
    "Excerpts",
    "Hook",
    "ShownMatch",
    "VideoWriter",
    "View",
    "annotate",
    "colour",
    "hexadecimal",
    "html_of",
    "match_of",
    "outline",
    "pictures",
    "plot",
    "show_beside",
    "show_entries",
    "show_moments",
    "show_trackings",
    "show_word",
    "show_words",
    "smaller",
    "strip",
    "view_of",
    "write_excerpts",
    "write_report",
]
