"""PicoDet-S: a small network for the processor, by ONNX Runtime."""

import re
from pathlib import Path

import numpy as np

from sentrack.vision.scan.detectors import paddle
from sentrack.vision.scan.detectors.candidates import DetectorError
from sentrack.vision.scan.detectors.metadata import IMAGENET
from sentrack.vision.scan.detectors.onnx_model import Graph

SIZE = 640  # pixels of the longer side of the input, in which a picture keeps its aspect
_SIDE, _STRIDES = 416, (8, 16, 32, 64)
# What the program calls its input, and what it has before boxes are made and suppressed.
_INPUT, _SCORES, _DISTANCES = "image", "concat_4.tmp_0", "concat_5.tmp_0"


def model(program: Path, parameters: Path, settings: Path) -> bytes:
    """The network as an ONNX model, whose input is of free size and in 0..1.

    Its outputs are what `heads.Distances` reads: what comes after, greedy suppression in the
    network, would let few candidates through.
    """
    listed = re.search(r"^label_list:\n((?:- .+\n)+)", settings.read_text("utf-8"), re.M)
    names = re.findall("- (.+)", listed[1]) if listed else []
    graph = Graph()
    mean, deviation = (np.reshape(each, (1, 3, 1, 1)) for each in IMAGENET)
    centred = graph.add("Sub", ["images", graph.constant("mean", mean)], "centred")
    graph.add("Div", [centred, graph.constant("deviation", deviation)], _INPUT)
    try:
        operators, values = paddle.read(program.read_bytes(), parameters.read_bytes())
        positions = {(-(-_SIDE // stride)) ** 2 for stride in _STRIDES}
        paddle.add_operators(graph, operators, values, (_SCORES, _DISTANCES), positions)
    except (ValueError, KeyError, IndexError) as error:
        raise DetectorError(f"{program}: not the network that is meant: {error}") from None
    graph.add("Identity", [_SCORES], "scores")
    graph.add("Identity", [_DISTANCES], "distances")
    return graph.model(
        {"images": (1, 3, "height", "width")},
        {"scores": (1, len(names), "positions"), "distances": (1, "positions", 4)},
        {"names": names, "imgsz": SIZE, "stride": 32},
    )
