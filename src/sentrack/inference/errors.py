"""What can be wrong with a problem."""

from sentrack.errors import SentrackError


class ProblemError(SentrackError, ValueError):
    """The arrays do not make a problem; the message names track, word and frame."""


class Infeasible(SentrackError):  # noqa: N818 - the name is part of the public contract
    """No assignment has a finite score; the message names what rules everything out."""


class ProblemTooLarge(SentrackError, MemoryError):  # noqa: N818 - public contract
    """The exact lattice does not fit the memory limit.

    Attributes:
        states: joint states of the largest frame.
        bytes: memory that the smallest feasible schedule would need.
        operations: additions and comparisons that it would take.
    """

    def __init__(self, states: int, bytes: int, operations: int, limit: int) -> None:
        self.states = states
        self.bytes = bytes
        self.operations = operations
        super().__init__(
            f"the exact lattice has {states:,} joint states in its largest frame and would need "
            f"{bytes:,} bytes and {operations:,} operations, above the limit of {limit:,} bytes; "
            "use method='auto', or raise memory_limit"
        )
