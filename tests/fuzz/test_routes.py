"""What the routes' own description allows, and addresses of all kinds: an answer that the description knows, and no failure."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.route_calls import COOKIES, QUERIES, Rooms, ask, call, rooms

QUIET = settings(
    derandomize=True, database=None, deadline=None, max_examples=50, suppress_health_check=list(HealthCheck), print_blob=False
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rooms]:
    with rooms(tmp_path_factory.mktemp("rooms")) as result:
        yield result


@pytest.mark.parametrize("who", ["researcher", "annotator"])
def test_documented_requests_get_documented_answers(made: Rooms, who: str) -> None:
    operations = made.operations()
    assert len(operations) > 30

    @QUIET
    @given(st.sampled_from(operations).flatmap(lambda entry: entry.as_strategy()))
    def check_request(case: object) -> None:
        call(made.people[who], case)

    check_request()


def test_arbitrary_addresses_never_fail(made: Rooms) -> None:
    paths = made.gets()
    assert {"/api/studio/facets", "/studio/images", "/login"} <= set(paths)

    @QUIET
    @given(st.sampled_from(paths), QUERIES, st.sampled_from(sorted(made.people)))
    def check_request(path: str, query: list[tuple[str, str]], who: str) -> None:
        ask(made.people[who], "GET", path.replace("{", "").replace("}", ""), query)

    check_request()


def test_arbitrary_cookies_never_fail(made: Rooms) -> None:
    name = next(iter(made.people["researcher"].cookies))

    @settings(QUIET, max_examples=20)
    @given(COOKIES, st.sampled_from(["/api/next", "/studio/", "/api/studio/items", "/login"]))
    def check_request(cookie: str, path: str) -> None:
        ask(made.house.client(), "GET", path, [], headers={"cookie": f"{name}={cookie}"})

    check_request()
