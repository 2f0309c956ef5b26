"""The sentence objective (Eq. 4) of one clip as bare arrays of log values."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass

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


class Derived(list[Array]):
    """Arrays made of those of a problem, right in type and shape: they are not checked again."""


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
        self._unary = [
            _Frames(track.unary, f"track {i}", "unary") for i, track in enumerate(self.tracks)
        ]
        sizes = [[self._unary[i][t].size for t in range(self.T)] for i in range(self.L)]
        self.sizes: Labels = np.array(sizes, dtype=np.int64).reshape(self.L, self.T)
        self._pairwise = [
            _Frames(track.pairwise, f"track {i}", "pairwise", (), self.sizes, [(i, -1), (i, 0)])
            for i, track in enumerate(self.tracks)
        ]
        self._emission = [
            _Frames(
                word.emission,
                f"word {w}",
                "emission",
                (self.states(w),),
                self.sizes,
                [(p, 0) for p in self.link(w)],
            )
            for w, word in enumerate(self.words)
        ]

    @property
    def L(self) -> int:  # noqa: N802 - the paper's symbol
        """Number of tracks."""
        return len(self.tracks)

    @property
    def W(self) -> int:  # noqa: N802 - the paper's symbol
        """Number of words."""
        return len(self.words)

    def link(self, word: int) -> tuple[int, ...]:
        """The participants of a word."""
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
        """(J_t,): the detection scores f of frame t."""
        return self._unary[track][t]

    def pairwise(self, track: int, t: int) -> Array:
        """(J_{t-1}, J_t): the coherence g between frames t-1 and t >= 1."""
        return self._pairwise[track][t]

    def emission(self, word: int, t: int) -> Array:
        """(K, J_t[p1], ..., J_t[pI]): the emission h of a word in frame t."""
        return self._emission[word][t]

    def score(self, tracks: npt.ArrayLike, states: npt.ArrayLike) -> float:
        """Evaluate Eq. 4 for one choice of tracks (L, T) and states (W, T)."""
        states_of = [[self.states(w)] * self.T for w in range(self.W)]
        j = _labels(tracks, self.sizes, "tracks")
        k = _labels(states, np.array(states_of).reshape(self.W, self.T), "states")
        total = 0.0
        for i in range(self.L):
            total += sum(float(self.unary(i, t)[j[i, t]]) for t in range(self.T))
            for t in range(1, self.T):
                total += float(self.pairwise(i, t)[j[i, t - 1], j[i, t]])
        for w in range(self.W):
            total += float(self.initial(w)[k[w, 0]])
            total += float(self.transition(w)[k[w, :-1], k[w, 1:]].sum())
            for t in range(self.T):
                total += float(self.emission(w, t)[(k[w, t], *j[list(self.link(w)), t])])
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
        try:
            link = tuple(operator.index(p) for p in terms.participants)
        except TypeError:
            raise ProblemError(
                f"word {word}: participants are {terms.participants!r}; they must be track indices"
            ) from None
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


class _Frames:
    """The arrays of one term, checked at once or, if lazy, whenever they are read.

    Args:
        arrays: one per frame, or per pair of adjacent frames.
        owner: the track or word, for messages.
        term: its name, for messages.
        fixed: the first lengths of every shape; None if any vector will do.
        sizes: (L, T), the numbers of candidates.
        axes: the track that each further axis runs over, and the frame, relative to t.
    """

    def __init__(
        self,
        arrays: Sequence[npt.ArrayLike],
        owner: str,
        term: str,
        fixed: tuple[int, ...] | None = None,
        sizes: Labels | None = None,
        axes: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._arrays, self._owner, self._term = arrays, owner, term
        self._fixed, self._sizes, self._axes = fixed, sizes, axes
        # An array between two frames belongs to the later one.
        self._first = -min((shift for _, shift in axes), default=0)
        self._checked: list[Array] | None = None
        if isinstance(arrays, Derived):
            self._checked = arrays
        elif isinstance(arrays, np.ndarray) and self._uniform(arrays.shape[1:]):
            # One array for all frames is checked at once.
            self._checked = list(_array(arrays, f"{owner}: {term}"))
        elif isinstance(arrays, list | tuple | np.ndarray):
            self._checked = [self._check(t + self._first) for t in range(len(arrays))]

    def __getitem__(self, t: int) -> Array:
        return self._check(t) if self._checked is None else self._checked[t - self._first]

    def _uniform(self, shape: tuple[int, ...]) -> bool:
        """Whether the arrays of all frames must have this shape."""
        if self._fixed is None or self._sizes is None:
            return len(shape) == 1 and shape[0] > 0
        tracks = [track for track, _ in self._axes]
        free = shape[len(self._fixed) :]
        return (
            shape[: len(self._fixed)] == self._fixed
            and len(free) == len(tracks)
            and all((self._sizes[track] == n).all() for track, n in zip(tracks, free, strict=True))
        )

    def _check(self, t: int) -> Array:
        where = f"{self._owner}, frame {t}: {self._term}"
        array = _array(self._arrays[t - self._first], where)
        if self._fixed is None or self._sizes is None:
            if array.ndim != 1 or array.size == 0:
                raise ProblemError(
                    f"{where} has shape {array.shape}; it must be (J,), with J at least 1"
                )
            return array
        sizes = self._sizes
        shape = (*self._fixed, *(int(sizes[track, t + shift]) for track, shift in self._axes))
        if array.shape != shape:
            raise ProblemError(f"{where} has shape {array.shape}; it must be {shape}")
        return array


def _array(values: npt.ArrayLike, where: str) -> Array:
    """Float64, C-contiguous, no NaN and no +inf."""
    try:
        if type(values) is np.ndarray and values.dtype == np.float64 and values.ndim > 0:
            array: Array = values if values.flags.c_contiguous else np.ascontiguousarray(values)
        elif np.iscomplexobj(values):
            raise TypeError("they are complex")
        else:
            array = np.ascontiguousarray(values, dtype=np.float64).reshape(np.shape(values))
    except (TypeError, ValueError, OverflowError) as error:
        raise ProblemError(f"{where} is not an array of numbers: {error}") from None
    # One pass: a NaN makes the maximum NaN, and neither NaN nor +inf is below infinity.
    if array.size and not array.max() < np.inf:
        kind = "NaN" if np.isnan(array).any() else "+inf"
        raise ProblemError(f"{where} holds {kind}; values are logs, finite or -inf")
    return array


def _labels(values: npt.ArrayLike, sizes: Labels, name: str) -> Labels:
    """Integers of the shape of `sizes`, each from 0 to below its size."""
    labels = np.asarray(values)
    if labels.size == 0 and sizes.size == 0:
        return np.zeros(sizes.shape, dtype=np.int64)
    if labels.shape != sizes.shape or labels.dtype.kind not in "iu":
        raise ProblemError(
            f"{name} are {labels.dtype} {labels.shape}; they must be integers {sizes.shape}"
        )
    wrong = np.argwhere((labels < 0) | (labels >= sizes))
    if wrong.size:
        row, t = wrong[0].tolist()
        raise ProblemError(
            f"{name}[{row}], frame {t}: {labels[row, t]} is out of range; "
            f"there are {sizes[row, t]}, numbered from 0"
        )
    return labels.astype(np.int64)
