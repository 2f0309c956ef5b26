"""Where networks run: what users call a device, and ONNX Runtime a provider."""

from collections.abc import Sequence

from sentrack.text import nearest
from sentrack.vision.scan.detectors.candidates import DetectorError

# By speed, as a rule.
PROVIDERS = {
    "cuda": "CUDAExecutionProvider",
    "rocm": "ROCMExecutionProvider",
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
    "cpu": "CPUExecutionProvider",
}


def providers(device: str, available: Sequence[str]) -> list[str]:
    """The providers to be tried, in order; the processor is the last.

    Args:
        device: one of `PROVIDERS`, or "auto" for the first that is there.
        available: what this ONNX Runtime has.

    Raises:
        DetectorError: there is no such device here.
    """
    here = {name: each for name, each in PROVIDERS.items() if each in available}
    if device == "auto":
        return list(here.values())
    if device in here:
        return list(dict.fromkeys([here[device], PROVIDERS["cpu"]]))
    choice = ", ".join(("auto", *here))
    if device in PROVIDERS:
        text = f"this ONNX Runtime does not have {PROVIDERS[device]}; there are {choice}"
        raise DetectorError(f"no device {device!r}: {text}")
    guess = nearest(device, ("auto", *PROVIDERS))
    raise DetectorError(f"no device {device!r}; nearest name: {guess!r}; there are {choice}")
