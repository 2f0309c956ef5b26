"""Say what happens in a clip: evidence, cores of sentences, and what may be added to them."""

from sentrack.tasks.description.describer import Described, Description, describe

__all__ = ["Described", "Description", "describe"]
