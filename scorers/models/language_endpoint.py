"""A language model behind an address that speaks as OpenAI's chat completions do: a provider's, or a server of one's own;
and what any language model gives (``Completion``, ``Failure``).

Whoever asks gives the turns of the chat, words alone or words and images. The key comes from the environment; it is sent to
that address and stands nowhere else.
"""

from __future__ import annotations

import email.utils
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from data.files import printable

KEY: Final = "CONCORD_API_KEY"
"""The environment's variable with an endpoint's key."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote.

    Attributes:
        text: as it came.
        tokens_in, tokens_out: of the prompt and of the text, of all attempts that were answered; None where one does not say.
        finished: the model came to its end, and was not cut off for length.
        model: who answered, as the endpoint calls it; empty: it does not say.
        first_token: the likeliest tokens at the place of the text's first one that is not blank, with their probabilities; None
            where the endpoint gives none.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    finished: bool = True
    model: str = ""
    first_token: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a model wrote nothing, in one line; tokens as in ``Completion``, 0 where it never answered."""

    reason: str
    tokens_in: int | None = 0
    tokens_out: int | None = 0


_TRIES: Final = 6
_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 120.0
"""Seconds; an endpoint that wants more is out of quota rather than busy."""
_TIMEOUT: Final = httpx.Timeout(120.0, connect=10.0)
_MOST_TOKENS: Final = 2000
_RETRY_CODES: Final = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_HOPELESS: Final = {
    401: "does not accept the key",
    402: "wants to be paid first",
    403: "refuses this key or this model",
    404: "has nothing there: are the base URL (it often ends in /v1) and the model's name right?",
}


class EndpointError(Exception):
    """Nothing more can be had from this endpoint; the message is one line, without the key."""


class EndpointUnwell(EndpointError):
    """It was asked often enough, and never answered; ``failure`` has what that cost."""

    def __init__(self, why: str, failure: Failure) -> None:
        super().__init__(why)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class _Retry:
    """Why an attempt was in vain; ``seconds``: how long the endpoint wants to be left alone; ``answered``: it did answer, in a
    way that cannot be used."""

    why: str
    seconds: float | None = None
    answered: bool = False
    tokens: tuple[int | None, int | None] = (0, 0)


class Endpoint:
    """One model at one address. Its methods may be called from several threads."""

    def __init__(
        self,
        base_url: str,
        model: str,
        key: str | None = None,
        *,
        timeout: httpx.Timeout = _TIMEOUT,
        per_minute: float = 0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Open a connection.

        Args:
            base_url: what precedes ``/chat/completions`` (``https://api.openai.com/v1``).
            model: as the endpoint calls it.
            key: sent as a bearer token; None: the endpoint asks for none.
            timeout: of one attempt.
            per_minute: attempts at most, evenly spread; 0: as many as come.
            sleep: waits between attempts.

        Raises:
            ValueError: the address is none, or holds a password.
        """
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{printable(base_url)!r} is not a base URL; https://HOST/v1 is expected")
        if parts.username or parts.password or parts.query:
            raise ValueError("the base URL holds a name, a password or a query; put the key into the environment")
        if key is not None and not (key.isascii() and key.isprintable() and key.strip() == key):
            raise ValueError("the key in the environment has characters that a key cannot have, perhaps a line break")
        self.name = f"{base_url.rstrip('/')} {model}"
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._model, self._key, self._sleep = model, key, sleep
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(timeout=timeout, headers=headers)
        self._between, self._next, self._turn = 60 / per_minute if per_minute else 0.0, 0.0, threading.Lock()

    def close(self) -> None:
        self._client.close()

    def complete(self, turns: Sequence[Mapping[str, Any]], **more: Any) -> Completion | Failure:
        """What the model says next in a chat; ``more`` of the request's fields, by default temperature 0.

        Where the endpoint is busy or unwell (429, 5xx, no answer in time) it is asked again, up to six times in all, after as
        long as it says, or else twice as long each time; after an answer that is none, once.

        Raises:
            EndpointUnwell: it did not answer.
            EndpointError: it does not know us, or the model, or wants us to wait for too long; nothing else will fare better.
        """
        body = {"model": self._model, "messages": list(turns), "temperature": 0, "max_tokens": _MOST_TOKENS} | more
        unreadable, why = 0, ""
        spent: tuple[int | None, int | None] = (0, 0)
        for attempt in range(1, _TRIES + 1):
            self._wait_for_turn()
            outcome = self._ask(body)
            if not isinstance(outcome, _Retry):
                tokens = _plus(spent, (outcome.tokens_in, outcome.tokens_out))
                return replace(outcome, tokens_in=tokens[0], tokens_out=tokens[1])
            why, unreadable, spent = outcome.why, unreadable + outcome.answered, _plus(spent, outcome.tokens)
            if unreadable > 1:
                return Failure(why, *spent)
            if attempt < _TRIES:
                if outcome.seconds is not None and outcome.seconds > _LONGEST_WAIT:
                    raise EndpointError(f"{self._url} asks to wait {outcome.seconds:.0f} s; run the same command again later")
                twice_as_long = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1))
                self._sleep(twice_as_long if outcome.seconds is None else max(0.0, outcome.seconds))
        raise EndpointUnwell(f"{self._url} was asked {_TRIES} times: {why}", Failure(why, *spent))

    def _wait_for_turn(self) -> None:
        if self._between:
            with self._turn:
                now = time.monotonic()
                wait, self._next = max(0.0, self._next - now), max(self._next, now) + self._between
            if wait:
                self._sleep(wait)

    def _ask(self, body: Mapping[str, Any]) -> Completion | Failure | _Retry:
        try:
            response = self._client.post(self._url, json=body)
        except httpx.TimeoutException:
            return _Retry("it did not answer in time")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return _Retry(f"it cannot be reached: {self._line(error)}")
        if response.status_code in _HOPELESS:
            raise EndpointError(f"{self._url} {_HOPELESS[response.status_code]} ({self._status_line(response)})")
        if response.status_code in _RETRY_CODES:
            return _Retry(self._status_line(response), _retry_after(response.headers))
        if response.status_code != 200:
            return Failure(f"the endpoint refused it ({self._status_line(response)})")
        outcome = _read(response)
        if self._key and isinstance(outcome, Completion):
            outcome = replace(outcome, text=outcome.text.replace(self._key, "(the key)"))
        return outcome

    def _status_line(self, response: httpx.Response) -> str:
        """HTTP status and the endpoint's own words."""
        words = ""
        with suppress(Exception):
            reply = response.json()
            error = reply.get("error", reply.get("message", ""))
            words = error.get("message", "") if isinstance(error, Mapping) else str(error)
        return f"HTTP {response.status_code}" + (f": {self._line(words)}" if words else "")

    def _line(self, text: object) -> str:
        line = " ".join(str(text).split())
        # some endpoints say the key that they do not like
        return printable(line.replace(self._key, "(the key)") if self._key else line)[:200]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from a number or a date."""
    value = headers.get("retry-after", "").strip()
    with suppress(ValueError):
        seconds = float(value)
        return seconds if seconds == seconds else None
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return None


def _plus(some: tuple[int | None, int | None], more: tuple[int | None, int | None]) -> tuple[int | None, int | None]:
    """Unknown where one of them is."""
    (a, b), (c, d) = some, more
    return None if a is None or c is None else a + c, None if b is None or d is None else b + d


def _read(response: httpx.Response) -> Completion | Failure | _Retry:
    """What was written; or that it is refused for good; or why this is no answer."""
    try:
        payload: Any = response.json()
    except (ValueError, RecursionError):
        payload = None
    tokens = _usage(payload)
    try:
        choice = payload["choices"][0]
        text, ended = choice["message"].get("content"), choice.get("finish_reason")
        refused = choice["message"].get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        return _Retry("its answer is not a chat completion; is the base URL right?", answered=True, tokens=tokens)
    if ended == "content_filter" or refused:
        return Failure("the endpoint's content filter refused it", *tokens)
    if not isinstance(text, str) or not text.strip():
        return _Retry("its answer is empty", answered=True, tokens=tokens)
    model = payload.get("model")
    name = printable(model)[:200] if isinstance(model, str) else ""
    return Completion(text, *tokens, finished=ended != "length", model=name, first_token=_first_token(choice.get("logprobs")))


def _usage(payload: Any) -> tuple[int | None, int | None]:
    """Tokens in and out, as far as they are said."""
    usage = payload.get("usage") if isinstance(payload, Mapping) else None
    counts = [usage.get(key) for key in ("prompt_tokens", "completion_tokens")] if isinstance(usage, Mapping) else [None, None]
    tokens = [n if isinstance(n, int) and not isinstance(n, bool) and n >= 0 else None for n in counts]
    return tokens[0], tokens[1]


def _first_token(logprobs: Any) -> Mapping[str, float] | None:
    """See ``Completion``."""
    with suppress(KeyError, TypeError, AttributeError, ValueError, OverflowError):
        for token in logprobs["content"]:
            if str(token["token"]).strip():
                probabilities: dict[str, float] = {}
                for candidate in (token, *(token.get("top_logprobs") or ())):
                    probabilities[str(candidate["token"])] = math.exp(min(float(candidate["logprob"]), 0.0))
                return probabilities if all(map(math.isfinite, probabilities.values())) else None
    return None
