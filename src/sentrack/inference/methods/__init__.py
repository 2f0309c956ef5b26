"""The methods of `solve`."""

from sentrack.inference.methods.ascent import Ascent
from sentrack.inference.methods.auto import Auto
from sentrack.inference.methods.dual import Dual
from sentrack.inference.methods.growth import Growth
from sentrack.inference.methods.viterbi import Viterbi

__all__ = ["Ascent", "Auto", "Dual", "Growth", "Viterbi"]
