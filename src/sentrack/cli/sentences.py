"""Several sentences about one clip, of which some may be at fault."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sentrack.errors import SentrackError
from sentrack.progress import Report, silent
from sentrack.text import visible

if TYPE_CHECKING:
    from sentrack.tasks import Tracking


class Asked:
    """Sentences, each with its answer or the reason why it has none.

    Args:
        sentences: as they were given.
        lexicon: that has their words.
    """

    def __init__(self, sentences: Sequence[str], lexicon: str) -> None:
        self._sentences, self._lexicon = sentences, lexicon
        self._faults: dict[int, SentrackError] = {}
        self._found: dict[int, Tracking] = {}

    def read(self, classes: Sequence[str]) -> None:
        """Read all sentences with these classes as nouns, and say what is wrong with any.

        Raises:
            SentrackError: none can be read.
        """
        from sentrack.language import parse
        from sentrack.tasks import open_lexicon, vocabulary_of

        vocabulary = vocabulary_of(open_lexicon(self._lexicon), classes)
        self._each(lambda sentence: parse(sentence, vocabulary))

    def solve(self, find: "Callable[[str], Tracking]", report: "Report") -> "list[Tracking]":
        """The answers to the sentences that could be read, in order.

        Raises:
            SentrackError: there is none.
        """
        self._found = self._each(find, report)
        return list(self._found.values())

    def documents(self) -> list[dict[str, Any]]:
        """For JSON: every answer, or the sentence and what is wrong."""
        return [
            self._found[n].to_dict()
            if n in self._found
            else {"sentence": sentence, "error": str(self._faults[n])}
            for n, sentence in enumerate(self._sentences)
        ]

    def _each(self, do: "Callable[[str], Any]", report: "Report" = silent) -> dict[int, Any]:
        """What comes of all sentences without a fault; those that have one now are told of it."""
        done, total = {}, len(self._sentences)
        for n, sentence in enumerate(self._sentences):
            report("sentences", n, total if total > 1 else None)
            if n in self._faults:
                continue
            try:
                done[n] = do(sentence)
            except SentrackError as error:
                self._faults[n] = error
                if len(self._faults) == total:
                    raise
                text = f"{sentence!r}: {error}"
                print(f"sentrack: {visible(text)}", file=sys.stderr)
        report("sentences", total, total)
        return done
