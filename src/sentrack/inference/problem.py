"""The sentence objective (Eq. 4) of one clip as bare arrays of log values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sentrack.inference.errors import ProblemError

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TrackTerms:
    """The terms of one participant's track (Eq. 1).

    Attributes:
        unary: T arrays (J_t,): the detection score f of every candidate of a frame.
        pairwise: T-1 arrays (J_{t-1}, J_t): the coherence g between adjacent frames.
    """

    unary: Sequence[npt.ArrayLike]
    pairwise: Sequence[npt.ArrayLike]


@dataclass(frozen=True)
class WordTerms:
    """The terms of one word (Eq. 2), tied to the tracks it speaks of by its link θ.

    Attributes:
        initial: (K,) log probability of the state in the first frame.
        transition: (K, K) log probability a of the next state (column) given the state (row).
        emission: T arrays (K, J_t[p1], ..., J_t[pI]): h for every state and candidate tuple.
        participants: the indices p1, ..., pI of the tracks, in the order of emission's axes.
    """

    initial: npt.ArrayLike
    transition: npt.ArrayLike
    emission: Sequence[npt.ArrayLike]
    participants: tuple[int, ...]


class Problem:
    """All terms of Eq. 4: L tracks and W words over T frames, in nats; -inf forbids.

    The per-frame arrays may come in any sequence. Those of a list, a tuple or an array are checked
    here; those of a lazy sequence are checked each time they are read.

    Args:
        tracks: the terms of every track.
        words: the terms of every word.

    Raises:
        ProblemError: naming the track or word, and the frame, of the first fault.
    """

    def __init__(self, tracks: Sequence[TrackTerms], words: Sequence[WordTerms] = ()) -> None:
        self.tracks = tuple(tracks)
        self.words = tuple(words)
        self.T = len(self.tracks[0].unary) if self.tracks else 0
        for i, track in enumerate(self.tracks):
            self._check_lengths(i, track)
        self._links = tuple(self._check_link(w, word) for w, word in enumerate(self.words))
        self._chains = tuple(self._check_chain(w, word) for w, word in enumerate(self.words))
        if any(_is_lazy(track.unary) for track in self.tracks):
            self._sizes = None
        else:
            self._sizes = self._read_sizes()
            self._check_frames()

    @property
    def L(self) -> int:  # noqa: N802 - the paper's symbol
        """Number of tracks."""
        return len(self.tracks)

    @property
    def W(self) -> int:  # noqa: N802 - the paper's symbol
        """Number of words."""
        return len(self.words)

    @cached_property
    def sizes(self) -> Labels:
        """(L, T): J_t, the number of candidates of every track in every frame."""
        return self._read_sizes() if self._sizes is None else self._sizes

    def link(self, word: int) -> tuple[int, ...]:
        """The participants of a word, as non-negative track indices."""
        return self._links[word]

    def states(self, word: int) -> int:
        """K, the number of states of a word."""
        return int(self._chains[word][0].size)

    def initial(self, word: int) -> Array:
        """(K,): the initial term of a word."""
        return self._chains[word][0]

    def transition(self, word: int) -> Array:
        """(K, K): the transition term a of a word."""
        return self._chains[word][1]

    def unary(self, track: int, t: int) -> Array:
        """(J_t,): the detection scores f of frame t, checked."""
        values = _array(self.tracks[track].unary[t], f"track {track}, frame {t}: unary")
        if values.ndim != 1 or values.size == 0:
            raise ProblemError(
                f"track {track}, frame {t}: unary has shape {values.shape}; "
                "it must be (J,) with at least one candidate"
            )
        return values

    def pairwise(self, track: int, t: int) -> Array:
        """(J_{t-1}, J_t): the coherence g between frames t-1 and t (t >= 1), checked."""
        where = f"track {track}, frames {t - 1} to {t}: pairwise"
        values = _array(self.tracks[track].pairwise[t - 1], where)
        expected = (int(self.sizes[track, t - 1]), int(self.sizes[track, t]))
        if values.shape != expected:
            raise ProblemError(f"{where} has shape {values.shape}; it must be {expected}")
        return values

    def emission(self, word: int, t: int) -> Array:
        """(K, J_t[p1], ..., J_t[pI]): the emission h of a word in frame t, checked."""
        where = f"word {word}, frame {t}: emission"
        values = _array(self.words[word].emission[t], where)
        expected = (self.states(word), *(int(self.sizes[p, t]) for p in self.link(word)))
        if values.shape != expected:
            raise ProblemError(f"{where} has shape {values.shape}; it must be {expected}")
        return values

    def score(self, tracks: npt.ArrayLike, states: npt.ArrayLike) -> float:
        """Evaluate Eq. 4 for one choice of tracks (L, T) and states (W, T)."""
        j = np.asarray(tracks, dtype=np.int64).reshape(self.L, self.T)
        k = np.asarray(states, dtype=np.int64).reshape(self.W, self.T)
        total = 0.0
        for track in range(self.L):
            total += sum(float(self.unary(track, t)[j[track, t]]) for t in range(self.T))
            for t in range(1, self.T):
                total += float(self.pairwise(track, t)[j[track, t - 1], j[track, t]])
        for word in range(self.W):
            link, transition = list(self.link(word)), self.transition(word)
            total += float(self.initial(word)[k[word, 0]])
            total += float(transition[k[word, :-1], k[word, 1:]].sum())
            for t in range(self.T):
                total += float(self.emission(word, t)[(k[word, t], *j[link, t])])
        return total

    def _check_lengths(self, track: int, terms: TrackTerms) -> None:
        frames = len(terms.unary)
        if frames == 0:
            raise ProblemError(f"track {track}: unary has no frame; a clip has at least one")
        if frames != self.T:
            raise ProblemError(f"track {track}: unary has {frames} frames, track 0 has {self.T}")
        if len(terms.pairwise) != frames - 1:
            raise ProblemError(
                f"track {track}: pairwise has {len(terms.pairwise)} arrays; "
                f"{frames} frames need {frames - 1}"
            )

    def _check_link(self, word: int, terms: WordTerms) -> tuple[int, ...]:
        link = tuple(int(p) for p in terms.participants)
        if not link:
            raise ProblemError(f"word {word}: it has no participant; a word speaks of at least one")
        for p in link:
            if not 0 <= p < self.L:
                raise ProblemError(
                    f"word {word}: participant {p} is out of range; "
                    f"there are {self.L} tracks, numbered from 0"
                )
        if len(terms.emission) != self.T:
            raise ProblemError(
                f"word {word}: emission has {len(terms.emission)} arrays for {self.T} frames"
            )
        return link

    def _check_chain(self, word: int, terms: WordTerms) -> tuple[Array, Array]:
        initial = _array(terms.initial, f"word {word}: initial")
        transition = _array(terms.transition, f"word {word}: transition")
        if initial.ndim != 1 or initial.size == 0:
            raise ProblemError(
                f"word {word}: initial has shape {initial.shape}; "
                "it must be (K,) with at least one state"
            )
        if transition.shape != (initial.size, initial.size):
            raise ProblemError(
                f"word {word}: transition has shape {transition.shape}; "
                f"it must be {(initial.size, initial.size)}"
            )
        return initial, transition

    def _read_sizes(self) -> Labels:
        sizes = [[self.unary(track, t).size for t in range(self.T)] for track in range(self.L)]
        return np.array(sizes, dtype=np.int64).reshape(self.L, self.T)

    def _check_frames(self) -> None:
        for i, track in enumerate(self.tracks):
            if not _is_lazy(track.pairwise):
                for t in range(1, self.T):
                    self.pairwise(i, t)
        for w, word in enumerate(self.words):
            if not _is_lazy(word.emission):
                for t in range(self.T):
                    self.emission(w, t)


def _is_lazy(arrays: Sequence[npt.ArrayLike]) -> bool:
    return not isinstance(arrays, list | tuple | np.ndarray)


def _array(values: npt.ArrayLike, where: str) -> Array:
    """Float64, C-contiguous, no NaN and no +inf."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64).reshape(np.shape(values))
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{where} is not an array of numbers: {error}") from None
    # One pass: a NaN makes the maximum NaN, and neither NaN nor +inf is below infinity.
    if array.size and not array.max() < np.inf:
        kind = "NaN" if np.isnan(array).any() else "+inf"
        raise ProblemError(f"{where} holds {kind}; values are logs, finite or -inf")
    return array
