"""The text of a chat with a model: which of it comes before a question, and how a reply begins."""

from __future__ import annotations

from string import ascii_uppercase
from typing import Any, Final

MARK: Final = "QUESTION-STANDS-HERE"


class Turns:
    """One question about one image, in a processor's chat template.

    Attributes:
        head: the text up to the image's last mark: the same for all questions about it.
        letters: the token of each letter from A, as a reply begins with it.

    Raises:
        ValueError: there is no template, it does not keep to one image and then the question, or letters are not one token
            each, all different.
    """

    def __init__(self, processor: Any, name: str) -> None:
        self._processor, self._tokenizer, self._name = processor, processor.tokenizer, name
        if not getattr(processor, "chat_template", None):
            raise ValueError(f"{name} has no chat template: it is no model that can be asked")
        # templates that let models think aloud first are told not to
        self._options = {"enable_thinking": False} if "enable_thinking" in str(processor.chat_template) else {}
        self._marks = sorted(self._tokenizer.get_added_vocab(), key=len, reverse=True)
        whole = self._rendered(MARK)
        before, found, self._after = whole.partition(MARK)
        places = [before.rfind(mark) + len(mark) for mark in self._marks if mark in before]
        if not found or MARK in self._after or not places:
            raise ValueError(f"the chat template of {name} does not hold an image and then the question, once each")
        self.head = before[: max(places)]
        self._between = before[len(self.head) :]
        self._begun = self._ids(self._between + MARK + self._after)
        self._spaced = self._space(whole)
        self.letters = self._lettered()

    def tokens(self, text: str) -> list[int]:
        """All that comes after ``head`` where ``text`` is asked, up to the reply.

        Raises:
            ValueError: the text holds what would be taken for a mark of the template.
        """
        for mark in self._marks:
            if mark in text:
                raise ValueError(f"{self._name} would take {mark!r} in a question for a mark of its own: leave it out")
        return self._ids(self.rest(text))

    def rest(self, text: str) -> str:
        """As ``tokens``, in letters."""
        return f"{self._between}{text}{self._after}"

    def reply(self, text: str) -> list[int]:
        """The tokens of a reply, without its end.

        Raises:
            ValueError: they cannot be told from those before.
        """
        ids = self._ids(self.rest(MARK) + self.spoken(text))
        if ids[: len(self._begun)] != self._begun or len(ids) == len(self._begun):
            raise ValueError(f"{self._name} joins the beginning of its reply with {text[:40]!r}: it cannot be weighed")
        return ids[len(self._begun) :]

    def spoken(self, text: str) -> str:
        """A reply as the template writes it: some put a space before it."""
        return f"{self._spaced}{text}"

    def _rendered(self, text: str, reply: str | None = None) -> str:
        asked = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}
        told = [asked] if reply is None else [asked, {"role": "assistant", "content": [{"type": "text", "text": reply}]}]
        rendered: str = self._processor.apply_chat_template(
            told, add_generation_prompt=reply is None, tokenize=False, **self._options
        )
        return rendered

    def _space(self, begun: str) -> str:
        whole = self._rendered(MARK, "A")
        if whole.startswith(begun):
            return whole[len(begun) :].partition("A")[0]
        # templates that write a past reply otherwise than one that is to come (without its empty thoughts)
        return "" if begun[-1:].isspace() or any(begun.endswith(mark) for mark in self._marks) else " "

    def _lettered(self) -> list[int]:
        found: list[int] = []
        for letter in ascii_uppercase:
            ids = self.reply(letter)
            if len(ids) != 1 or self._tokenizer.decode(ids).strip() != letter or ids[0] in found:
                raise ValueError(
                    f"{self._name} does not have the letter {letter} as one token of its own: it cannot choose by it"
                )
            found += ids
        return found

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
