"""A language model behind an address that speaks as OpenAI's chat completions do: a provider's, or a server of one's own;
and what any language model gives (``Completion``, ``Failure``).
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from data.files import printable
from data.prompts.question_generation import INSTRUCTIONS, format_caption, prompt_examples


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote about one caption.

    Attributes:
        text: as it came.
        tokens_in, tokens_out: of the prompt and of the text; None if the model does not say.
        finished: the model came to its end, and was not cut off for length.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    finished: bool = True


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a model wrote nothing about one caption, in one line."""

    reason: str


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


def messages(caption: str) -> list[dict[str, str]]:
    """The whole conversation that asks for questions about a caption: the examples are turns of it."""
    turns = [{"role": "system", "content": INSTRUCTIONS}]
    for example in prompt_examples():
        turns.append({"role": "user", "content": format_caption(example.caption)})
        turns.append({"role": "assistant", "content": example.answer})
    return [*turns, {"role": "user", "content": format_caption(caption)}]


@dataclass(frozen=True, slots=True)
class _Retry:
    """Why an attempt was in vain; ``seconds``: how long the endpoint wants to be left alone; ``answered``: it did answer, in a
    way that cannot be used."""

    why: str
    seconds: float | None = None
    answered: bool = False


class Endpoint:
    """One model at one address. Its methods may be called from several threads."""

    def __init__(
        self,
        base_url: str,
        model: str,
        key: str | None = None,
        *,
        timeout: httpx.Timeout = _TIMEOUT,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Open a connection.

        Args:
            base_url: what precedes ``/chat/completions`` (``https://api.openai.com/v1``).
            model: as the endpoint calls it.
            key: sent as a bearer token; None: the endpoint asks for none.
            timeout: of one attempt.
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

    def close(self) -> None:
        self._client.close()

    def complete(self, caption: str) -> Completion | Failure:
        """What the model writes about a caption, at temperature 0.

        Where the endpoint is busy or unwell (429, 5xx, no answer in time) it is asked again, up to six times in all, after as
        long as it says, or else twice as long each time; after an answer that is none, once.

        Raises:
            EndpointError: it does not know us, or the model, or cannot be reached, or wants us to wait for too long; no other
                caption will fare better.
        """
        body = {"model": self._model, "messages": messages(caption), "temperature": 0, "max_tokens": _MOST_TOKENS}
        unreadable, why = 0, ""
        for attempt in range(1, _TRIES + 1):
            found = self._ask(body)
            if not isinstance(found, _Retry):
                return found
            why, unreadable = found.why, unreadable + found.answered
            if unreadable > 1:
                return Failure(why)
            if attempt < _TRIES:
                if found.seconds is not None and found.seconds > _LONGEST_WAIT:
                    raise EndpointError(f"{self._url} asks to wait {found.seconds:.0f} s; run the same command again later")
                twice_as_long = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1))
                self._sleep(twice_as_long if found.seconds is None else max(0.0, found.seconds))
        raise EndpointError(f"{self._url} was asked {_TRIES} times: {why}")

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
        return _read(response)

    def _status_line(self, response: httpx.Response) -> str:
        """HTTP status and the endpoint's own words."""
        words = ""
        with suppress(Exception):
            found = response.json()
            error = found.get("error", found.get("message", ""))
            words = error.get("message", "") if isinstance(error, Mapping) else str(error)
        return f"HTTP {response.status_code}" + (f": {self._line(words)}" if words else "")

    def _line(self, text: object) -> str:
        said = " ".join(str(text).split())
        # some endpoints say the key that they do not like
        return printable(said.replace(self._key, "(the key)") if self._key else said)[:200]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from a number or a date."""
    value = headers.get("retry-after", "").strip()
    with suppress(ValueError):
        seconds = float(value)
        return seconds if seconds == seconds else None
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return None


def _read(response: httpx.Response) -> Completion | Failure | _Retry:
    """What was written; or that it is refused for good; or why this is no answer."""
    try:
        found: Any = response.json()
        choice = found["choices"][0]
        text, ended = choice["message"].get("content"), choice.get("finish_reason")
        refused = choice["message"].get("refusal")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return _Retry("its answer is not a chat completion; is the base URL right?", answered=True)
    if ended == "content_filter" or refused:
        return Failure("the endpoint's content filter refused it")
    if not isinstance(text, str) or not text.strip():
        return _Retry("its answer is empty", answered=True)
    usage = found.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    tokens = [n if isinstance(n := usage.get(key), int) and n >= 0 else None for key in ("prompt_tokens", "completion_tokens")]
    return Completion(text, tokens[0], tokens[1], finished=ended != "length")
