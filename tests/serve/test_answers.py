"""What can be done with answers: nearest misses, boxes, files and judgements."""

import csv
import io
import json
from pathlib import Path

import pytest

from sentrack.tasks import Library, RightBox, Settings, learn, read_pairs, track
from sentrack.vision.io import read_table
from tests.serve.serving import UP, Server, served, stock


def test_where_nothing_depicts_it_the_nearest_are_told_and_why(server: Server) -> None:
    lines = server.search("The person approached the zebra.")
    (misses,) = [line for line in lines if line["kind"] == "misses"]
    assert misses["missing"] == ["zebra"]
    assert misses["moments"] == []
    # In the film somebody goes to the right, and nowhere to the left.
    lines = [
        json.loads(line)
        for line in server.get(
            "/api/search", sentence="The person went to the left.", video="film"
        ).text.splitlines()
    ]
    (misses,) = [line for line in lines if line["kind"] == "misses"]
    (nearest,) = misses["moments"]
    assert nearest["video"] == "film"
    assert nearest["match"] < 0.5
    assert "not depicted" in nearest["reason"]
    assert misses["missing"] == []
    assert lines[-1]["kind"] == "done"


def test_one_video_can_be_asked_alone(server: Server) -> None:
    answer = server.get("/api/search", sentence="The person moved to the right.", video="film")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    (found,) = [line["moments"] for line in lines if line["kind"] == "moments"]
    assert {moment["video"] for moment in found} == {"film"}
    why = found[0]["why"]
    assert why["seconds"] == pytest.approx(found[0]["end"] - found[0]["start"], abs=0.1)
    assert why["sureness"] == pytest.approx(0.9, abs=0.01)
    assert server.get("/api/search", sentence=UP, video="none").status_code == 404


def test_all_boxes_of_a_video(server: Server) -> None:
    library = Library(server.folder)
    clip = library.clip("scene-00")
    told = server.json("/api/boxes", name="scene-00")
    assert len(told["times"]) == clip.T
    assert sum(map(len, told["boxes"])) == (~clip.projected).sum()
    kind, score, *box = told["boxes"][3][0]
    row = clip.start[3]
    assert told["classes"][int(kind)] == clip.classes[clip.label[row]]
    assert score == pytest.approx(clip.score[row], abs=1e-3)
    assert box == pytest.approx(clip.boxes[row], abs=0.06)
    part = server.json("/api/boxes", name="scene-00", start=1.0, end=1.5)
    assert all(1.0 - 1e-3 <= time < 1.5 for time in part["times"])
    assert server.get("/api/boxes", name="none").status_code == 404


def test_an_answer_can_be_taken_away(server: Server) -> None:
    sentence = "The person moved to the right."
    asked = {"sentence": sentence, "video": "film"}
    answer = track(Library(server.folder).clip("film"), sentence)
    files = {
        kind: server.get("/api/download", kind=kind, **asked) for kind in ["csv", "mot", "json"]
    }
    for file in files.values():
        assert file.status_code == 200
        assert file.headers["content-disposition"].startswith("attachment")
    assert files["mot"].text == answer.to_mot()
    document = json.loads(files["json"].text)
    assert document["participants"] == answer.to_dict()["participants"]
    rows = list(csv.DictReader(io.StringIO(files["csv"].text)))
    assert len(rows) == answer.participants[0].seen.sum()
    assert {row["class"] for row in rows} == {"person"}
    report = server.get("/api/download", kind="report", **asked)
    assert report.headers["content-disposition"].endswith('.html"')
    assert sentence in report.text
    assert 'id="film"' in report.text
    assert server.get("/api/download", kind="exe", **asked).status_code == 422


def test_the_csv_of_an_answer_is_a_file_of_boxes(server: Server, tmp_path: Path) -> None:
    asked = {"sentence": "The person moved to the right.", "video": "film", "kind": "csv"}
    path = tmp_path / "a.csv"
    path.write_bytes(server.get("/api/download", **asked).content)
    assert read_table(path, (64, 48), 25).classes == ("person",)


def test_judgements_are_pairs_to_learn_from(tmp_path: Path) -> None:
    folder = stock(tmp_path / "lib", 8)
    with served(folder) as server:
        videos = server.json("/api/videos")["videos"]
        names = [video["name"] for video in videos if "cup" in video["classes"]][:3]
        assert len(names) == 3
        box = {"participant": 0, "frame": 3, "box": [1, 2, 30, 40]}
        for number, name in enumerate(names):
            told = {"video": name, "sentence": UP, "start": 0.0, "end": 1.0, "right": number > 0}
            told["boxes"] = [box] if number == 1 else []
            answer = server.client.post("/api/judgements", json=told)
            assert (answer.status_code, answer.json()) == (201, {"judgements": number + 1})
        bad = {"video": "none", "sentence": UP, "start": 0, "end": 1, "right": True}
        assert server.client.post("/api/judgements", json=bad).status_code == 404
        backwards = {"video": names[0], "sentence": UP, "start": 2, "end": 1, "right": True}
        assert server.client.post("/api/judgements", json=backwards).status_code == 422
        for wrong in ({"box": [3, 2, 3, 4]}, {"box": [1, 4, 3, 2]}, {"frame": -1}):
            told = {"video": names[0], "sentence": UP, "start": 0, "end": 1, "right": True}
            told["boxes"] = [box | wrong]
            assert server.client.post("/api/judgements", json=told).status_code == 422
        elsewhere = {"Sec-Fetch-Site": "cross-site"}
        told = {"video": names[0], "sentence": UP, "start": 0, "end": 1, "right": True}
        refused = server.client.post("/api/judgements", json=told, headers=elsewhere)
        assert refused.status_code == 403
        assert server.json("/api/library")["clips"] == len(videos)
    lines = (folder / "judged.jsonl").read_text().splitlines()
    assert len(lines) == len(names)
    assert json.loads(lines[1])["boxes"] == [box]
    pairs = read_pairs(folder / "judged.jsonl", strict=True)
    # What is wrong is no example of it.
    assert [pair[1] for pair in pairs] == [UP] * (len(names) - 1)
    assert [pair[2:] for pair in pairs] == [((RightBox(0, 3, (1, 2, 30, 40)),),), ()]
    learned = learn(pairs, settings=Settings(restarts=1, iterations=1, contrast=0))
    assert ("verb", "pick-up") in learned.words


def test_an_address_that_leads_nowhere_has_a_page(server: Server) -> None:
    for path in ("/nowhere", "/video/x", "/a/b/c"):
        answer = server.get(path)
        assert answer.status_code == 404
        assert answer.headers["content-type"].startswith("text/html")
    for path in ("/api/nothing", "/page/nothing.js"):
        answer = server.get(path)
        assert answer.status_code == 404
        assert "error" in answer.json()


def test_pictures_are_kept(server: Server) -> None:
    kept = server.folder.parent / "cache" / "pictures"
    before = set(kept.iterdir()) if kept.exists() else set()
    first = server.get("/api/picture", video="film", time=0.37, width=48)
    (new,) = set(kept.iterdir()) - before
    assert new.read_bytes() == first.content
    new.write_bytes(b"kept")
    assert server.get("/api/picture", video="film", time=0.37, width=48).content == b"kept"
    new.unlink()
