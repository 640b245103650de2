"""The worker that writes questions, and answers them from the caption: ``python -m scorers.questioning``. It knows no project.

It reads one JSON object from its input, ``{"do": "write" | "answer", "model", "device", "asked": [...]}``, and prints one JSON
object for each that is asked, in order and as soon as it is there:

- ``write``, of ``{"caption"}``: ``{"text", "tokens_in", "tokens_out", "finished"}``, or ``{"failed": why}``;
- ``answer``, of ``{"caption", "question", "choices", "free": bool}``: ``{"multiple", "free": text or null}``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

_OFFLINE: Final = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TRANSFORMERS_OFFLINE": "1"}
_TOGETHER: Final = 16
"""Questions that are answered at once."""


def results(job: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What is to be printed.

    Raises:
        OSError: the model is not on this machine.
        ValueError: its files are not those of such a model.
    """
    return (_write if job["do"] == "write" else _answer)(job["model"], job["device"], job["asked"])


def _write(model: str, device: str, asked: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    from scorers.models.language.base import Failure
    from scorers.models.language.llama import QuestionLlama

    llama = QuestionLlama(model, device)
    for one in asked:
        found = llama.complete(one["caption"])
        yield {"failed": found.reason} if isinstance(found, Failure) else asdict(found)


def _answer(model: str, device: str, asked: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    from scorers.models.language.unifiedqa import TextQuestion, UnifiedQa

    reader = UnifiedQa(model, device)
    for start in range(0, len(asked), _TOGETHER):
        some = asked[start : start + _TOGETHER]
        multiple = reader.answer([TextQuestion(one["question"], one["caption"], tuple(one["choices"])) for one in some])
        # a question without choices reads otherwise, so it is asked on its own
        wanted = [k for k, one in enumerate(some) if one["free"]]
        free = reader.answer([TextQuestion(some[k]["question"], some[k]["caption"]) for k in wanted])
        said = dict(zip(wanted, free, strict=True))
        for k, answer in enumerate(multiple):
            yield {"multiple": answer, "free": said.get(k)}


def main() -> None:
    """Command line."""
    os.environ.update(_OFFLINE)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    # whatever a library prints must not come between the results
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        for result in results(json.load(sys.stdin)):
            print(json.dumps(result), file=out, flush=True)
    except (ValueError, OSError) as error:
        print(" ".join(str(error).splitlines()), file=sys.stderr)
        raise SystemExit(1) from error


if __name__ == "__main__":
    main()
