"""Results that nobody changes by accident: their arrays can be read, not written."""

from dataclasses import fields

import numpy as np


class ReadOnly:
    """For frozen dataclasses: every array becomes a view that cannot be written.

    Whoever made an array may still do so.
    """

    def __post_init__(self) -> None:
        """Replace arrays by views of them."""
        for field in fields(self):  # type: ignore[arg-type]  # of the dataclass that inherits it
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray) and value.flags.writeable:
                view = value.view()
                view.flags.writeable = False
                object.__setattr__(self, field.name, view)
