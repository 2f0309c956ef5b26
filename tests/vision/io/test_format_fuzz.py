"""Whatever a file holds, a clip or one line of error comes out."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.vision import Clip, ClipError, load_clip

PATHS = {
    "table": "a.csv",
    "mot": "a.txt",
    "kitti": "a.txt",
    "coco": "a.json",
    "yolo": "folder/f_1.txt",
}
number = st.one_of(
    st.integers(-3, 40).map(str),
    st.floats().map(repr),
    st.sampled_from(["", "x", "1e400", "-1", "1_0", "9" * 30, "NaN", '"', "é"]),
)


def outcome(folder: Path, kind: str, content: bytes) -> None:
    path = folder / PATHS[kind]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    target = path.parent if kind == "yolo" else path
    names = ["cup", "pen"]
    given: dict[str, Any] = {} if kind in ("table", "kitti") else {"names": names}
    for format in (kind, None):
        text = f"{target}"
        try:
            assert isinstance(load_clip(target, size=(64, 48), format=format, **given), Clip)
        except ClipError as error:
            text = str(error)
        assert str(target) in text
        assert "\n" not in text


@pytest.mark.parametrize("kind", PATHS)
@settings(max_examples=60)
@given(content=st.binary(max_size=80))
def test_arbitrary_bytes(
    tmp_path_factory: pytest.TempPathFactory, kind: str, content: bytes
) -> None:
    outcome(tmp_path_factory.mktemp("fuzz"), kind, content)


def text(comma: str, *widths: int) -> st.SearchStrategy[str]:
    line = st.sampled_from(widths).flatmap(
        lambda width: st.lists(number, min_size=width, max_size=width).map(comma.join)
    )
    return st.lists(line, max_size=4).map("\n".join)


HEADER = "frame,class,x1,y1,x2,y2,score,id,time,width,height,fps,vx,vy\n"
LINES = {
    "table": text(",", 14).map(HEADER.__add__),
    "mot": text(",", 6, 7, 9),
    "kitti": text(" ", 17, 18),
    "yolo": text(" ", 5, 6, 7),
}


@pytest.mark.parametrize("kind", LINES)
@settings(max_examples=80)
@given(data=st.data())
def test_arbitrary_cells(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    outcome(tmp_path_factory.mktemp("fuzz"), kind, data.draw(LINES[kind]).encode())


value = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=6,
)


def item(**sound: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mostly what belongs there, sometimes anything."""
    fields = {key: st.one_of(each, each, each, value) for key, each in sound.items()}
    return st.one_of(
        st.fixed_dictionaries(fields), st.fixed_dictionaries({}, optional=fields), value
    )


whole = st.integers(0, 3)
document = st.fixed_dictionaries(
    {},
    optional={
        "videos": st.lists(item(id=whole, name=st.just("v"), fps=whole, width=whole, height=whole)),
        "images": st.lists(item(id=whole, file_name=st.just("a_3.jpg"), frame_id=whole)),
        "annotations": st.lists(
            item(
                image_id=whole,
                category_id=st.just(1),
                bbox=st.just([1, 2, 3, 4]),
                score=st.floats(),
                track_id=whole,
            )
        ),
        "categories": st.lists(item(id=whole, name=st.just("cup"))),
    },
)


@settings(max_examples=120)
@given(made=st.one_of(document, document.map(lambda each: each.get("annotations", [])), value))
def test_arbitrary_documents(tmp_path_factory: pytest.TempPathFactory, made: Any) -> None:
    outcome(tmp_path_factory.mktemp("fuzz"), "coco", json.dumps(made).encode())


def test_nesting_without_end(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" * 100_000, "utf-8")
    with pytest.raises(ClipError, match="not JSON"):
        load_clip(tmp_path / "a.json")
