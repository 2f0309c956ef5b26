"""A library of 5,000 clips: its first page is small and opens none of them."""

from pathlib import Path

from tests.serve.serving import first_page, many, served

CLIPS = 5000
BYTES = 300_000  # of all that the first page needs


def test_the_first_page_of_many_clips(tmp_path: Path) -> None:
    many(tmp_path / "lib", CLIPS)
    with served(tmp_path / "lib") as server:
        assert first_page(server) < BYTES
        told = server.json("/api/library")
        assert told["clips"] == CLIPS
        page = server.json("/api/videos")
        assert (page["total"], len(page["videos"])) == (CLIPS, 60)
        last = server.json("/api/videos", offset=CLIPS - 10)
        assert [video["name"] for video in last["videos"]] == [
            f"street/clip-{n:05d}" for n in range(CLIPS - 10, CLIPS)
        ]
        some = server.json("/api/videos", contains="CLIP-0123")
        assert some["total"] == 10
