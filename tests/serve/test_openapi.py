"""The API against its own schema: whatever is asked, no answer that it does not tell of."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from tests.serve.serving import UP, Server
from tests.waiting import HANG

EXAMPLES = 15  # of every address and mode
KNOWN = {"video": "film", "name": "film", "sentence": UP, "word": "carry", "part": "verb"}
# Of what is sent: a judgement of a video that is there.
JUDGED = {"video": "film", "sentence": UP, "start": 0.0, "end": 1.0}
PLAIN = ("health", "library", "words")  # nothing can be wrong with these
ASKED = ("videos", "video", "description", "parse", "complete", "search", "moment", "picture")
MORE = ("media", "word", "boxes", "download")
ADDRESSES = [("GET", name) for name in (*PLAIN, *ASKED, *MORE)]
ADDRESSES += [("POST", "videos"), ("POST", "judgements")]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
TRIED = [
    (*address, mode)
    for address in ADDRESSES
    for mode in MODES
    if mode is GenerationMode.POSITIVE or address[1] not in PLAIN
]


@pytest.fixture(scope="module")
def api(server: Server) -> Any:
    return schemathesis.openapi.from_url(f"{server.client.base_url}/openapi.json")


def test_all_addresses_are_tried(api: Any) -> None:
    found = {(each.ok().method.upper(), each.ok().path) for each in api.get_all_operations()}
    assert found == {(method, f"/api/{name}") for method, name in ADDRESSES}


def ask(case: Case[Any]) -> None:
    answer = case.call(timeout=HANG)
    # No schema can say that a start must be before its end.
    skipped: list[Any] = [positive_data_acceptance]
    if answer.status_code == 414:  # which schemathesis does not take for a refusal
        skipped.append(negative_data_rejection)
    case.validate_response(answer, excluded_checks=skipped)


@pytest.mark.parametrize(("method", "name", "mode"), TRIED)
def test_every_answer_is_one_that_the_schema_tells_of(
    method: str, name: str, mode: GenerationMode, api: Any
) -> None:
    operation = api[f"/api/{name}"][method]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    def some(case: Case[Any]) -> None:
        ask(case)
        # Random names are in no library: the same once more with some that are.
        if mode is GenerationMode.POSITIVE and (known := case.query.keys() & KNOWN):
            case.query.update({key: KNOWN[key] for key in known})
            ask(case)

    some()
