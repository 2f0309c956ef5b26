"""What the API answers, compared with what the package says of the same library."""

import io
import os
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest

from sentrack.lexicon import Lexicon
from sentrack.serve.guard import HEADERS
from sentrack.tasks import Library, describe, track
from tests.serve.serving import UP, Server, served, shown, stock
from tests.vision.films import film, shade
from tests.waiting import until


@pytest.fixture(scope="module")
def library(server: Server) -> Library:
    return Library(server.folder)


def test_health(server: Server) -> None:
    server.until_idle()
    told = server.json("/api/health")
    assert told == {"status": "ok", "version": "0.1.0", "busy": 0, "waiting": 0}


def test_the_library_as_a_whole(server: Server, library: Library) -> None:
    told, entries = server.json("/api/library"), library.entries()
    assert (told["name"], told["clips"], told["lexicon"]) == ("lib", len(entries), "everyday")
    assert told["seconds"] == pytest.approx(sum(entry.seconds for entry in entries))
    assert told["uploads"] is False
    counts = {each["name"]: each["clips"] for each in told["classes"]}
    for name in ("person", "cup"):
        assert counts[name] == sum(name in entry.classes for entry in entries)
    assert list(counts.values()) == sorted(counts.values(), reverse=True)
    assert "zebra" not in counts


def test_videos_come_in_pages(server: Server, library: Library) -> None:
    names = [entry.name for entry in library.entries()]
    found: list[str] = []
    while True:
        page = server.json("/api/videos", offset=len(found), limit=5)
        assert page["total"] == len(names)
        if not page["videos"]:
            break
        found += [video["name"] for video in page["videos"]]
    assert found == names
    some = server.json("/api/videos", contains="SCENE-0", limit=3)
    assert some["total"] == sum("scene-0" in name for name in names)
    assert len(some["videos"]) == 3


def test_a_video(server: Server, library: Library) -> None:
    entry = library.entry("film")
    told = server.json("/api/video", name="film")
    assert told == {
        "name": "film",
        "seconds": entry.seconds,
        "frames": 25,
        "width": 64,
        "height": 48,
        "fps": 25.0,
        "classes": {"person": 25},
        "pixels": True,
    }
    assert server.json("/api/video", name="scene-00")["pixels"] is False


def test_search_tells_what_the_library_finds(server: Server, library: Library) -> None:
    found = library.search(UP, 5, workers=1)
    lines = server.search(UP, 5)
    kinds = [line["kind"] for line in lines]
    assert kinds[0] == "progress"
    assert kinds[-1] == "done"
    assert kinds.count("done") == 1
    told = [line["moments"] for line in lines if line["kind"] == "moments"]
    assert len(told) > 1
    assert all(
        len(before) <= len(after) and before[0]["score"] <= after[0]["score"]
        for before, after in pairwise(told)
    )
    assert len(found) > 2
    for moment, said in zip(found, told[-1], strict=True):
        for key in ("video", "sentence", "start", "end", "match", "score"):
            assert said[key] == getattr(moment, key)
        assert said["reason"] == moment.tracking.reason
        assert (said["width"], said["height"], said["pixels"]) == (640, 480, False)
        clip = moment.tracking.objective.clip
        middle = np.argmin(np.abs(clip.times - (moment.start + moment.end) / 2))
        seen = [p for p in moment.tracking.participants if p.seen[middle]]
        for participant, at in zip(seen, said["participants"], strict=True):
            assert at["noun"] == participant.noun
            assert at["box"] == participant.boxes[middle].tolist()
    end = lines[-1]
    assert (end["clips"], end["read"], end["solved"]) == (found.clips, found.read, found.solved)


def test_a_sentence_that_cannot_be_understood_ends_a_search(server: Server) -> None:
    (line,) = server.search("The person frobbed the cup.")
    assert (line["kind"], line["partial"]) == ("error", False)
    assert "frobbed" in line["error"]


def test_a_moment_is_shown_as_search_found_it(server: Server, library: Library) -> None:
    found = library.search(UP, 5, workers=1)
    for moment in found:
        view = server.json(
            "/api/moment",
            sentence=UP,
            video=moment.video,
            start=round(moment.start, 3),
            end=round(moment.end, 3),
        )
        assert (view["video"], view["sentence"]) == (moment.video, UP)
        assert view["match"] == pytest.approx(moment.match)
        assert view["score"] == pytest.approx(moment.score)
        clip = moment.tracking.objective.clip
        assert view["frames"] == clip.frames.tolist()
        np.testing.assert_allclose(view["times"], clip.times, atol=1e-3)
        for told, tracked in zip(view["tracks"], moment.tracking.participants, strict=True):
            assert [box is not None for box in told["boxes"]] == tracked.seen.tolist()
            boxes = [box for box in told["boxes"] if box is not None]
            np.testing.assert_allclose(boxes, tracked.boxes[tracked.seen], atol=0.051)
        parts = [piece["participant"] for piece in view["pieces"]]
        assert [part for part in parts if part is not None] == [0, 1]
    whole = server.json("/api/moment", sentence=UP, video=found[0].video)
    expected = track(library.clip(found[0].video), UP)
    assert whole["score"] == pytest.approx(expected.score)
    assert whole["frames"] == expected.objective.clip.frames.tolist()


def test_a_moment_of_a_part_of_a_video(server: Server) -> None:
    part = {"video": "film", "start": 0.4, "end": 0.8}
    told = server.json("/api/moment", sentence="The person moved.", **part)
    assert all(0.4 <= time < 0.8 for time in told["times"])
    answer = server.get("/api/moment", sentence="The person approached the person.", **part)
    assert answer.status_code == 422
    assert "2 different people; no frame shows more than 1" in answer.json()["error"]


def test_a_moment_of_what_is_not_there(server: Server) -> None:
    for sentence, text in (("The zebra walked.", "zebra"), ("The cup flewed.", "flewed")):
        answer = server.get("/api/moment", sentence=sentence, video="film")
        assert answer.status_code == 422
        assert text in answer.json()["error"]


def test_a_description(server: Server, library: Library) -> None:
    name = next(
        entry.name for entry in library.entries() if len(describe(library.clip(entry), 3)) > 1
    )
    clip = library.clip(name)
    told = server.json("/api/description", name=name, n=3)["sentences"]
    expected = describe(clip, 3)
    assert [(s["sentence"], s["match"]) for s in told] == [(d.sentence, d.match) for d in expected]
    for sentence in told:
        assert clip.times[0] <= sentence["start"] < sentence["end"] <= clip.times[-1] + 0.2
    part = server.json("/api/description", name=name, n=3, start=0.5, end=1.5)["sentences"]
    assert all(0.5 <= s["start"] < s["end"] <= 1.6 for s in part)


def test_what_a_sentence_says(server: Server) -> None:
    told = server.json("/api/parse", sentence=UP)
    assert told["ok"] is True
    assert "".join(piece["text"] for piece in told["pieces"]) == UP
    assert [each["noun"] for each in told["participants"]] == ["person", "cup"]
    assert {"word": "pick-up", "part": "verb", "participants": [0, 1]} in told["words"]
    assert [p["text"] for p in told["pieces"] if p["participant"] == 1] == ["cup"]


def test_alternatives_are_told_together(server: Server) -> None:
    told = server.json("/api/parse", sentence="The person picked up the cup or the bottle.")
    assert [each["noun"] for each in told["participants"]] == ["person", "cup", "person", "bottle"]
    links = [word["participants"] for word in told["words"] if word["word"] == "pick-up"]
    assert links == [[0, 1], [2, 3]]
    assert told["reading"][0].startswith("either of: ")


def test_words_of_the_lexicon(server: Server) -> None:
    everyday = Lexicon.load("everyday")
    told = server.json("/api/words")
    assert told["lexicon"] == "everyday"
    listed = {(each["word"], each["part"]) for each in told["words"]}
    assert {(model.name, model.part) for model in everyday.words.values()} <= listed
    for word, part in sorted(listed)[::15]:
        drawn, model = server.json("/api/word", word=word, part=part), everyday.model(word, part)
        assert [state["name"] for state in drawn["states"]] == list(model.states)
        assert drawn["roles"] == list(model.roles)
        for feature, observed, output in zip(
            drawn["features"], model.observed, model.outputs, strict=True
        ):
            assert feature["name"] == observed.feature.name
            np.testing.assert_array_equal(feature["outputs"], output)
            assert len(feature["bins"]) == output.shape[1]
    answer = server.get("/api/word", word="cary", part="verb")
    assert (answer.status_code, "carry" in answer.json()["error"]) == (404, True)


def grey(image: Any) -> float:
    return float(image[16:].mean())


def test_a_picture_is_the_frame_of_its_time(server: Server) -> None:
    for number in (0, 7, 30, 49):
        for after in (0.0, 0.03):
            answer = server.get("/api/picture", video="film", time=number / 25 + after, width=64)
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "image/jpeg"
            image = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
            assert image is not None
            assert image.shape == (48, 64, 3)
            assert grey(image) == pytest.approx(shade(number), abs=4)
    small = server.get("/api/picture", video="film", time=0, width=32)
    image = cv2.imdecode(np.frombuffer(small.content, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    assert image.shape == (24, 32, 3)
    assert "max-age" in small.headers["cache-control"]
    assert server.get("/api/picture", video="film", time=99).status_code == 404


def test_without_pixels_the_boxes_are_drawn(server: Server, library: Library) -> None:
    clip = library.clip("scene-00")
    for t in (0, 12, clip.T - 1):
        answer = server.get("/api/picture", video="scene-00", time=clip.times[t] + 0.01, width=640)
        image = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        assert image.shape == (480, 640, 3)
        drawn = np.abs(image.astype(int) - np.median(image, axis=(0, 1))).max(axis=-1) > 60
        boxes = clip.boxes[clip.start[t] : clip.start[t + 1]]
        near = np.zeros_like(drawn)
        for x1, y1, x2, y2 in np.rint(boxes).astype(int):
            rim = np.zeros_like(drawn)
            rim[max(0, y1 - 6) : y2 + 7, max(0, x1 - 6) : x2 + 7] = True
            rim[y1 + 7 : y2 - 6, x1 + 7 : x2 - 6] = False
            near |= rim
            assert (drawn & rim).any()
        assert not (drawn & ~near).any()


def frames(content: bytes) -> list[tuple[float, float]]:
    with av.open(io.BytesIO(content), "r") as container:
        assert container.streams.video[0].codec_context.name == "h264"
        found = list(container.decode(video=0))
    return [(float(each.time or 0.0), grey(each.to_ndarray(format="bgr24"))) for each in found]


def test_media_begin_at_their_start(server: Server) -> None:
    answer = server.get("/api/media", video="film", start=0.41, end=1.0)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "video/mp4"
    found = frames(answer.content)
    assert found[0][0] == 0.0
    assert found[1][0] == pytest.approx(0.44 - 0.41, abs=1e-3)
    for (at, level), number in zip(found, range(10, 25), strict=True):
        assert level == pytest.approx(shade(number), abs=8)
        assert at == pytest.approx(max(0.0, number / 25 - 0.41), abs=1e-3)
    whole = frames(server.get("/api/media", video="film").content)
    assert len(whole) == 50


FORMER = 1_000_000_000  # seconds since 1970


def media_of(server: Server) -> Path:
    """The folder of the media that a server has made."""
    return server.folder.parent / "cache" / "media"


def test_media_come_in_parts_and_are_made_once(server: Server) -> None:
    address = "/api/media"
    parameters: dict[str, Any] = {"video": "film", "start": 0.2, "end": 0.8}
    whole = server.get(address, **parameters)
    # Were it made again, it would not be as old as this.
    (made,) = (path for path in media_of(server).iterdir() if path.read_bytes() == whole.content)
    os.utime(made, (FORMER, FORMER))
    again = server.get(address, **parameters)
    assert (again.content, again.headers["last-modified"]) == (
        whole.content,
        formatdate(FORMER, usegmt=True),
    )
    part = server.client.get(address, params=parameters, headers={"Range": "bytes=100-299"})
    assert (part.status_code, part.content) == (206, whole.content[100:300])
    assert part.headers["content-range"] == f"bytes 100-299/{len(whole.content)}"
    for name in ("etag", "last-modified"):
        assert part.headers[name] == again.headers[name]
    beyond = server.client.get(address, params=parameters, headers={"Range": "bytes=9999999-"})
    assert beyond.status_code == 416


@pytest.mark.parametrize(
    ("path", "parameters", "status"),
    [
        ("/api/parse", {"sentence": "x" * 301}, 422),
        ("/api/parse", {"sentence": ""}, 422),
        ("/api/parse", {}, 422),
        ("/api/search", {"sentence": "x" * 301}, 422),
        ("/api/search", {"sentence": UP, "k": 0}, 422),
        ("/api/search", {"sentence": UP, "k": 101}, 422),
        ("/api/complete", {"text": "x" * 301}, 422),
        ("/api/videos", {"limit": 201}, 422),
        ("/api/videos", {"offset": -1}, 422),
        ("/api/videos", {"offset": "one"}, 422),
        ("/api/moment", {"sentence": UP, "video": "film", "start": "nan"}, 422),
        ("/api/moment", {"sentence": UP, "video": "film", "start": 2, "end": 1}, 422),
        ("/api/moment", {"sentence": UP, "video": "scene-00", "start": 999}, 422),
        ("/api/media", {"video": "film", "start": "inf"}, 422),
        ("/api/media", {"video": "film", "start": 0, "end": 121}, 422),
        ("/api/media", {"video": "scene-00"}, 404),
        ("/api/picture", {"video": "film", "width": 100_000}, 422),
        ("/api/picture", {"video": "film", "time": -1}, 422),
        ("/api/nothing", {}, 404),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    server: Server, path: str, parameters: dict[str, Any], status: int
) -> None:
    answer = server.get(path, **parameters)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert len(answer.json()["error"].splitlines()) == 1
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_the_page_answers_at_all_its_addresses(server: Server) -> None:
    first = server.get("/")
    assert first.status_code == 200
    assert first.headers["content-type"].startswith("text/html")
    assert {name: first.headers[name] for name in HEADERS} == HEADERS
    for path in ("/", "/moment", "/video", "/words"):
        assert server.get(path, q="x", video="y", t=1).content == first.content
    again = server.client.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    script = server.get("/page/app.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert "immutable" in server.get("/page/app.js", v=1).headers["cache-control"]
    assert server.client.post("/").status_code == 405


def test_pixels_are_shown_only_while_the_source_is_what_was_indexed(tmp_path: Path) -> None:
    folder = stock(tmp_path / "lib", 1)
    secret, source = film(tmp_path / "secret.mp4", [0.0, 0.5, 1.0]), tmp_path / "film.mp4"
    kept = source.read_bytes()
    for name in ("gone", "pipe", "folder"):
        shown(folder, film(tmp_path / f"{name}.mp4"), name)
        (tmp_path / f"{name}.mp4").unlink()
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "folder.mp4").mkdir()
    with served(folder) as server:

        def shows(name: str, number: int = 2) -> tuple[bool, int]:
            """Whether a picture is a frame of the film; and the status of media."""
            at = number / 25 + 0.01
            answer = server.get("/api/picture", video=name, time=at, width=64)
            image = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
            assert image is not None
            media = server.get("/api/media", video=name, start=at, end=at + 0.4)
            return abs(grey(image) - shade(number)) < 4, media.status_code

        def pixels(name: str) -> bool:
            return bool(server.json("/api/video", name=name)["pixels"])

        for name in ("gone", "pipe", "folder"):
            assert pixels(name) is False
            assert shows(name) == (False, 404)
        assert pixels("film") is True
        assert shows("film") == (True, 200)
        for number, target in enumerate((secret, Path("/etc/passwd"), tmp_path), 10):
            source.unlink()
            source.symlink_to(target)
            # What was shown before is kept, and is what was indexed; nothing else is shown.
            assert shows("film", number) == (False, 404)
            assert pixels("film") is False
            assert shows("film") == (False, 404)
        source.unlink()
        source.write_bytes(kept)
        assert pixels("film") is True
        assert shows("film") == (True, 200)
        source.write_bytes(secret.read_bytes())
        answer = server.get("/api/media", video="film", start=0.2, end=0.6)
        assert "changed since it was indexed" in answer.json()["error"]
        assert pixels("film") is False


def test_clips_that_are_added_appear_and_those_removed_vanish(tmp_path: Path) -> None:
    folder = stock(tmp_path / "lib", 2)
    with served(folder) as server:
        assert server.json("/api/library")["clips"] == 3
        shown(folder, film(tmp_path / "more.mp4"), "more")
        Library(folder).remove("scene-01")

        def names() -> list[str]:
            return [video["name"] for video in server.json("/api/videos")["videos"]]

        until(lambda: "more" in names())
        assert names() == ["film", "more", "scene-00"]


def test_the_schema_names_every_address(server: Server) -> None:
    schema = server.json("/openapi.json")
    names = "health library videos video description parse complete search moment picture media"
    names += " words word boxes download judgements"
    assert set(schema["paths"]) == {f"/api/{name}" for name in names.split()}
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            assert operation["responses"]["422"]["content"]["application/json"]["schema"] == {
                "$ref": "#/components/schemas/ErrorMessage"
            }, path


def test_methods_that_are_not_served(server: Server) -> None:
    for path, allowed in (("/api/videos", "GET, POST"), ("/api/health", "GET"), ("/", "GET")):
        answer = server.client.delete(path)
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
        assert "error" in answer.json()
