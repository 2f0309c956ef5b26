"""How learning is done, and the good defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sentrack.errors import SentrackError
from sentrack.tasks.learning.initial_models import DEFAULT_FEATURES, DEFAULT_STATES, parse_features


@dataclass(frozen=True)
class Settings:
    """How learning is done.

    Attributes:
        states: of the words of a part of speech; others have one.
        features: of words, by part of speech and number of participants: "verb 2" has
            "speed(1) gap(0,1)", with participants by number.
        restarts: random starts, of which the best goes on.
        iterations: at most.
        tolerance: nats per frame; with less to gain it is over.
        smoothing: frames that every feature of every state is taken to have shown beforehand.
        noise: probability that a frame shows nothing of a word.
        nouns: whether nouns are learned too, unless kept; else each names its own class.
        best: boxes of a class in a frame that are candidates of a noun that is learned.
        contrast: iterations of the second stage, against minimal pairs; 0 leaves it out.
        rivals: minimal pairs of a sentence, at most.
        belief: frames for which the second stage holds words that begin with a meaning to it.
    """

    states: dict[str, int] = field(default_factory=lambda: dict(DEFAULT_STATES))
    features: dict[str, str] = field(default_factory=lambda: dict(DEFAULT_FEATURES))
    restarts: int = 12
    iterations: int = 50
    tolerance: float = 1e-4
    smoothing: float = 10.0
    noise: float = 0.02
    nouns: bool = True
    best: int = 2
    contrast: int = 15
    rivals: int = 12
    belief: float = 100.0

    def __post_init__(self) -> None:
        least: Mapping[str, tuple[float, float]] = {
            "restarts": (self.restarts, 1),
            "iterations": (self.iterations, 1),
            "tolerance": (self.tolerance, 0),
            "smoothing": (self.smoothing, 1e-9),
            "noise": (self.noise, 0),
            "best": (self.best, 1),
            "contrast": (self.contrast, 0),
            "rivals": (self.rivals, 1),
            "belief": (self.belief, 1e-9),
        }
        for name, (value, bound) in least.items():
            if not bound <= value < float("inf"):
                raise SentrackError(f"{name} is {value:g}; it must be at least {bound:g}")
        if self.noise >= 1:
            raise SentrackError(f"noise is {self.noise:g}; it must be below 1")
        for part, number in self.states.items():
            if part not in DEFAULT_STATES:
                known = ", ".join(DEFAULT_STATES)
                raise SentrackError(f"states: {part!r} has no states; it must be one of {known}")
            if number < 1:
                raise SentrackError(f"states: a {part} cannot have {number}; it must be at least 1")
        for key in DEFAULT_FEATURES:
            try:
                found = parse_features(self.features[key])
                fits = all(
                    len(o.roles) == o.feature.arity and max(o.roles) < int(key.split()[1])
                    for o in found
                )
            except (KeyError, ValueError):
                fits = False
            if not fits:
                text = f"features: {key!r} must be given as in {DEFAULT_FEATURES[key]!r}"
                raise SentrackError(text)
