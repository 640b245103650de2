"""The endpoint, against a server on this machine that behaves as such servers do at their worst."""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from data.prompts.question_generation import conversation, prompt_examples
from scorers.models.language_endpoint import Completion, Endpoint, EndpointError, Failure
from tests.scorers.models.language_server import Scripted, serving, wrote

KEY = "sk-very-secret"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    with serving(monkeypatch) as scripted:
        yield scripted


def completion_from(server: Scripted, key: str | None = KEY, **options: Any) -> tuple[Completion | Failure, list[float]]:
    waits: list[float] = []
    endpoint = Endpoint(server.url, "m", key, sleep=waits.append, **options)
    try:
        return endpoint.complete(conversation("a cat")), waits
    finally:
        endpoint.close()


def test_what_is_sent_and_what_comes_back(server: Scripted) -> None:
    server.answers = [wrote()]
    assert completion_from(server) == (Completion("About cat (animal):", 90, 10), [])
    ((header, body),) = server.seen
    assert header == f"Bearer {KEY}"
    assert (body["model"], body["temperature"]) == ("m", 0)
    assert body["messages"] == conversation("a cat")
    assert len(body["messages"]) == 2 * len(prompt_examples()) + 2
    assert body["messages"][-1] == {"role": "user", "content": "Description: a cat"}
    assert KEY not in json.dumps(body)
    assert completion_from(server, None)[0] == Completion("About cat (animal):", 90, 10)
    assert server.seen[-1][0] is None


def test_busy_and_unwell_it_is_asked_again_after_as_long_as_it_says(server: Scripted) -> None:
    soon = email.utils.formatdate(time.time() - 5, usegmt=True)
    server.answers = [
        (429, {"Retry-After": "7"}, {"error": {"message": "slow down"}}),
        (503, {}, b"<html>"),
        (500, {"Retry-After": "soon"}, {}),
        (429, {"Retry-After": soon}, {}),
        wrote(),
    ]
    result, waits = completion_from(server)
    assert result == Completion("About cat (animal):", 90, 10)
    assert waits == [7.0, 2.0, 4.0, 0.0]


def test_it_is_not_asked_for_ever(server: Scripted) -> None:
    server.answers = [(529, {}, {"error": {"message": f"no, {KEY}\nno"}})]
    with pytest.raises(EndpointError, match=r"was asked 6 times: HTTP 529: no, \(the key\) no$"):
        completion_from(server)
    assert len(server.seen) == 6
    server.answers = [(429, {"Retry-After": "3600"}, {})]
    with pytest.raises(EndpointError, match="asks to wait 3600 s; run the same command again later"):
        completion_from(server)


def test_it_does_not_answer_in_time(server: Scripted) -> None:
    server.answers = [(0, {}, b""), wrote()]
    result, waits = completion_from(server, timeout=httpx.Timeout(0.3))
    assert isinstance(result, Completion)
    assert waits == [1.0]


def test_nobody_is_there(server: Scripted) -> None:
    server.url = "http://127.0.0.1:9/v1"
    with pytest.raises(EndpointError, match="was asked 6 times: it cannot be reached"):
        completion_from(server)


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "does not accept the key"), (403, "refuses this key or this model"), (404, "has nothing there"), (402, "be paid")],
)
def test_what_is_hopeless_is_said_once_and_without_the_key(server: Scripted, status: int, words: str) -> None:
    server.answers = [(status, {}, {"error": {"message": f"Incorrect API key provided: {KEY}"}})]
    with pytest.raises(EndpointError) as caught:
        completion_from(server)
    said = str(caught.value)
    assert words in said
    assert f"(HTTP {status}: Incorrect API key provided: (the key))" in said
    assert KEY not in said
    assert "\n" not in said
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((200, {}, b"not json"), "not a chat completion"),
        ((200, {}, b"[" * 100_000), "not a chat completion"),
        ((200, {}, {}), "not a chat completion"),
        ((200, {}, []), "not a chat completion"),
        ((200, {}, {"choices": []}), "not a chat completion"),
        ((200, {}, {"choices": [{"message": None}]}), "not a chat completion"),
        (wrote(" \n"), "its answer is empty"),
        (wrote(None), "its answer is empty"),
        (wrote(["a"]), "its answer is empty"),
    ],
)
def test_an_answer_that_is_none_is_asked_for_once_more(server: Scripted, answer: Any, why: str) -> None:
    server.answers = [answer]
    result, waits = completion_from(server)
    assert isinstance(result, Failure)
    assert why in result.reason
    assert waits == [1.0]
    server.answers, server.seen = [answer, wrote()], []
    # both attempts are paid for; what the first one cost is not known where it does not say
    told = isinstance(answer[2], dict) and "usage" in answer[2]
    cost = (180, 20) if told else (None, None)
    assert completion_from(server)[0] == Completion("About cat (animal):", *cost)


def test_refusals_concern_one_caption(server: Scripted) -> None:
    server.answers = [(400, {}, {"error": {"message": "too\nrude"}})]
    assert completion_from(server) == (Failure("the endpoint refused it (HTTP 400: too rude)"), [])
    server.answers, server.seen = [wrote("", finish_reason="content_filter")], []
    assert completion_from(server) == (Failure("the endpoint's content filter refused it", 90, 10), [])


def test_the_first_token_has_its_probabilities(server: Scripted) -> None:
    def token_json(token: str, **more: float) -> dict[str, Any]:
        return {"token": token, "logprob": -0.5, "top_logprobs": [{"token": t, "logprob": p} for t, p in more.items()]}

    server.answers = [
        wrote("\nA", logprobs={"content": [token_json("\n"), token_json("A", A=math.log(0.75), B=math.log(0.2))]})
    ]
    result, _ = completion_from(server)
    assert isinstance(result, Completion)
    assert result.first_token == pytest.approx({"A": 0.75, "B": 0.2})
    for broken in ({}, {"content": None}, {"content": [{"token": "A"}]}, {"content": [{"token": "A", "logprob": "x"}]}, 3):
        server.answers, server.seen = [wrote("A", logprobs=broken)], []
        result, _ = completion_from(server)
        assert isinstance(result, Completion)
        assert result.first_token is None


def test_no_more_attempts_a_minute_than_allowed(server: Scripted) -> None:
    server.answers = [wrote()]
    waits: list[float] = []
    endpoint = Endpoint(server.url, "m", per_minute=6, sleep=waits.append)
    for _ in range(3):
        endpoint.complete(conversation("a cat"))
    endpoint.close()
    # ten seconds apart; nobody sleeps here, so the third waits for two turns
    assert waits == [pytest.approx(10, abs=2), pytest.approx(20, abs=2)]


def test_cut_off_and_without_usage(server: Scripted) -> None:
    status, headers, body = wrote(finish_reason="length")
    server.answers = [(status, headers, body | {"usage": {"prompt_tokens": "many", "completion_tokens": -1}})]
    assert completion_from(server)[0] == Completion("About cat (animal):", None, None, finished=False)


@pytest.mark.parametrize(
    ("url", "key", "words"),
    [
        ("api.example/v1", None, "is not a base URL"),
        ("ftp://api.example", None, "is not a base URL"),
        ("https://me:secret@api.example/v1", None, "put the key into the environment"),
        ("https://api.example/v1?key=secret", None, "put the key into the environment"),
        ("https://api.example/v1", "secret\n", "the key in the environment has characters"),
    ],
)
def test_addresses_and_keys_that_are_none(url: str, key: str | None, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        Endpoint(url, "m", key)
    assert "secret" not in str(caught.value)
