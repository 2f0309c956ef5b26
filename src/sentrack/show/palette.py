"""Colours of participants, the same in videos, strips, reports and pages."""

Colour = tuple[int, int, int]  # blue, green, red

# The colours of Okabe and Ito, which colour-blind people tell apart, the brightest first.
PALETTE: tuple[Colour, ...] = (
    (0, 159, 230),  # orange
    (233, 180, 86),  # sky blue
    (115, 158, 0),  # green
    (66, 228, 240),  # yellow
    (167, 121, 204),  # purple
    (0, 94, 213),  # vermilion
    (178, 114, 0),  # blue
)
TINTS = (0.0, 0.5, 0.25, 0.75)  # towards white: of the first seven colours, the next seven, ...


def colour(number: int) -> Colour:
    """The colour of a participant, counted through all sentences."""
    tint = TINTS[number // len(PALETTE) % len(TINTS)]
    blue, green, red = (round(c + tint * (255 - c)) for c in PALETTE[number % len(PALETTE)])
    return blue, green, red


def hexadecimal(number: int) -> str:
    """The same as "#rrggbb"."""
    blue, green, red = colour(number)
    return f"#{red:02x}{green:02x}{blue:02x}"
