"""Why a request has no answer."""

from sentrack.errors import SentrackError


class JobError(SentrackError):
    """A job has no answer.

    Attributes:
        status: of HTTP that says so.
    """

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status

    def __reduce__(self) -> tuple[type["JobError"], tuple[str, int]]:
        return type(self), (str(self), self.status)


class ChangedError(JobError):
    """What is asked for is not what it was."""
