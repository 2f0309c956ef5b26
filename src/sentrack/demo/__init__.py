"""Demonstrations: a made-up clip with its pixels, real footage, and what sentences find in them."""

from typing import TYPE_CHECKING

from sentrack.lazy import on_demand

if TYPE_CHECKING:
    from sentrack.demo.painting import paint
    from sentrack.demo.real_footage import footage
    from sentrack.demo.run import SWAPPED, accuracy, show_demo, show_real
    from sentrack.demo.synthetic import Truth, two_activities
else:
    __getattr__ = on_demand(__name__)

__all__ = [
    "SWAPPED",
    "Truth",
    "accuracy",
    "footage",
    "paint",
    "show_demo",
    "show_real",
    "two_activities",
]
