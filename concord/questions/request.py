"""The request of ``questions``: which prompts a language model writes questions about, and how these are checked.

Nothing heavy is imported, as it makes the command's options.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from concord.common.context import UsageError
from concord.common.options import Device, FirstPrompts, JsonLinesFile
from data.requests import Request, Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingRequest(Request):
    """A request to write questions: about which prompts, by which model, and where they go."""

    output: JsonLinesFile
    prompts: Annotated[
        str | None,
        Setting("A file of prompts, as `import prompts` reads it; or use --suite.", argument=True, metavar="PROMPTS"),
    ] = None
    suite: Annotated[str | None, Setting("Use the project's prompts of this suite; with PROMPTS: the name of the suite.")] = (
        None
    )
    model: Annotated[
        str | None,
        Setting("Language model: a hub id (tifa-benchmark/llama2_tifa_question_generation), or its name at --base-url."),
    ] = None
    base_url: Annotated[str | None, Setting("OpenAI-compatible endpoint; the key is read from CONCORD_API_KEY.")] = None
    checked_by: Annotated[
        str,
        Setting(
            "Question-answering model that checks each question on the prompt's text alone.",
            flags="--filter",
            metavar="HUB_ID|none",
        ),
    ] = "allenai/unifiedqa-v2-t5-large-1363200"
    threshold: Annotated[float, Setting("A free answer must have a higher word F1 than this (TIFA's code: 0.6).")] = 0.7
    limit: FirstPrompts = None
    price_in: Annotated[float | None, Setting("Price of a million input tokens.", minimum=0)] = None
    price_out: Annotated[float | None, Setting("Price of a million output tokens.", minimum=0)] = None
    yes: Annotated[bool, Setting("Call the endpoint without asking for confirmation.")] = False
    device: Device = "auto"

    def check(self) -> None:
        """Check that the values go together.

        Raises:
            UsageError: they do not.
        """
        if self.prompts is None and self.suite is None:
            raise UsageError("give a file of PROMPTS, or --suite")
        if self.base_url is not None and self.model is None:
            raise UsageError("--base-url needs --model: the model's name there")
        if not 0 <= self.threshold < 1:
            raise UsageError("--threshold must be at least 0 and below 1")
        if (self.price_in is None) != (self.price_out is None):
            raise UsageError("--price-in and --price-out go together")

    def file(self, kind: str) -> Path:
        """``q.raw.jsonl`` beside ``q.jsonl``."""
        path = Path(self.output).expanduser()
        return path.with_name(f"{path.stem}.{kind}.jsonl")
