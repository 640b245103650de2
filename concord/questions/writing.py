"""``questions``: have a language model write questions about prompts, check them by another, and write them to a file.

A model runs in a worker process, or at an endpoint, a few requests at a time. TIFA's filter: what a model answers from the
prompt alone, written down as it comes, and which questions remain.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from concord.common.context import CommandError, UsageError, digest, warn
from concord.questions.request import WritingRequest
from concord.runs.worker_process import ROOT, last_words, sigterm_as_interrupt
from data.files import write_whole
from data.jobs.json_records import open_journal, read_journal
from data.prompts.prompt_files import read_prompts
from data.prompts.question_generation import conversation, parse_questions, prompt_examples
from data.prompts.questions import PromptQuestion, QuestionedPrompt, format_questions
from data.records import Prompt
from data.validation import record_of
from scorers.models.language_endpoint import KEY, Completion, Endpoint, EndpointError, Failure
from scorers.questions.writing import FilterOutcome, filter_question, needs_free_answer

T = TypeVar("T")
_REQUESTS_AT_ONCE: Final = 4


def run_worker(job: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What ``scorers.questions.writing`` gives for a job, one by one; whoever stops reading ends the worker.

    Raises:
        CommandError: the worker ended before its time; its last words.
    """
    with tempfile.TemporaryFile() as log:
        # a session of its own: Ctrl-C in the terminal is for us
        worker = subprocess.Popen(
            [sys.executable, "-m", "scorers.questions.writing"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        try:
            with suppress(BrokenPipeError), worker.stdin as file:
                file.write(json.dumps(job).encode())
            with worker.stdout as lines:
                for line in lines:
                    yield json.loads(line)
            if worker.wait():
                log.seek(0)
                raise CommandError(last_words(worker.returncode, log.read().decode("utf-8", "replace").splitlines()))
        finally:
            worker.terminate()
            worker.wait()


def ask_local_model(model: str, device: str, captions: Sequence[str]) -> Iterator[Completion | Failure]:
    """What a model on this machine writes about each caption, in order. Raises as ``worked``."""
    for reply in run_worker(
        {"do": "write", "model": model, "device": device, "asked": [{"caption": caption} for caption in captions]}
    ):
        yield Failure(reply["failed"]) if "failed" in reply else Completion(**reply)


def ask_endpoint(endpoint: Endpoint, captions: Sequence[str]) -> Iterator[Completion | Failure]:
    """What an endpoint writes about each caption, in order; a few are on the way at once.

    Raises:
        CommandError: nothing more is to be had from it.
    """
    pool = ThreadPoolExecutor(_REQUESTS_AT_ONCE)
    waiting: deque[Future[Completion | Failure]] = deque()
    try:
        for caption in captions:
            waiting.append(pool.submit(endpoint.complete, conversation(caption)))
            if len(waiting) == _REQUESTS_AT_ONCE:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except EndpointError as error:
        raise CommandError(str(error)) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        endpoint.close()


_TELL_SECONDS: Final = 5.0


def _check_questions(options: WritingRequest, made: Sequence[QuestionedPrompt]) -> tuple[list[QuestionedPrompt], Counter[str]]:
    """TIFA's filter: what remains, and how many questions were dropped for which reason.

    What the model answered is kept, so that another threshold costs nothing.
    """
    dropped: Counter[str] = Counter()
    if options.checked_by == "none":
        return list(made), dropped
    answers, checked = _checking_answers(options, made), []
    for prompt, questions in ((each.prompt, each.questions) for each in made):
        passed = []
        for question in questions:
            answer = answers[_check_of(prompt, question)]
            outcome = filter_question(question, answer.multiple, answer.free, options.threshold)
            if outcome is FilterOutcome.KEPT:
                passed.append(question)
            else:
                dropped[outcome] += 1
        checked.append(QuestionedPrompt(prompt, tuple(passed)))
    return checked, dropped


@dataclass(frozen=True, slots=True)
class _Check:
    """A question to the checking model, as its worker takes it; ``free``: whether it answers in free words, too."""

    caption: str
    question: str
    choices: tuple[str, ...]
    free: bool


@dataclass(frozen=True, slots=True)
class _CheckAnswer:
    """A line of the journal of checks: what a model answered, with the choices and without."""

    model: str
    caption: str
    question: str
    choices: tuple[str, ...]
    free: str | None
    multiple: str

    @property
    def check(self) -> _Check:
        return _Check(self.caption, self.question, self.choices, self.free is not None)


def _check_of(prompt: Prompt, question: PromptQuestion) -> _Check:
    return _Check(prompt.text, question.text, question.choices, needs_free_answer(question))


def _checking_answers(options: WritingRequest, made: Sequence[QuestionedPrompt]) -> dict[_Check, _CheckAnswer]:
    """Return the checking model's answer to each question, of now or of earlier."""
    path, model = options.file("checks"), options.checked_by
    answers = {answer.check: answer for answer in _journal_records(_CheckAnswer, path) if answer.model == model}
    wanted = [_check_of(each.prompt, question) for each in made for question in each.questions]
    left = [check for check in dict.fromkeys(wanted) if check not in answers]
    if not left:
        return answers
    warn(f"{len(left)} questions to check by {model} on {options.device}")
    progress = CheckProgress(len(left), "questions checked")
    job = {"do": "answer", "model": model, "device": options.device, "asked": [asdict(check) for check in left]}
    with open_journal(path) as append:
        for check, reply in zip(left, run_worker(job), strict=True):
            answers[check] = _CheckAnswer(**{"model": model, **asdict(check), **reply})
            append(asdict(answers[check]))
            progress.more()
    return answers


def _journal_records(kind: type[T], path: Path) -> Iterator[T]:
    """Yield the records of this kind in a journal; other lines are passed over."""
    for entry in read_journal(path):
        with suppress(ValueError):
            yield record_of(kind, entry, extra="ignore")


@dataclass(slots=True)
class CheckProgress:
    """Tells now and then how far it is."""

    total: int
    what: str
    done: int = 0
    reported: float = field(default_factory=time.monotonic)

    def more(self) -> None:
        self.done += 1
        if time.monotonic() - self.reported > _TELL_SECONDS:
            self.reported = time.monotonic()
            warn(f"{self.done:,} of {self.total:,} {self.what}")


LLAMA: Final = "tifa-benchmark/llama2_tifa_question_generation"

_CHARACTERS: Final = 4
"""Of a token, roughly, in English."""
_MOST_FAILURES: Final = 5
_NAMED: Final = 3
_SUITE: Final = "tifa"


ExportPrompts = Callable[[Path, str, Path], int]
"""Writes the prompts of a project's suite into a file, though the app may have the project open; the exit status."""


def run(options: WritingRequest, project: Path, export_prompts: ExportPrompts) -> None:
    """Ask, read, check, write.

    Raises:
        CommandError: something is left to do, or a prompt has no question.
    """
    options.check()
    prompts = _prompts(options, project, export_prompts)[: options.limit]
    try:
        with sigterm_as_interrupt():
            failed = _ask_missing(options, prompts)
            written = _written_before(options)
            made = [(prompt, parse_questions(written[prompt.prompt_id, prompt.text].text, prompt.text))
                    for prompt in prompts if (prompt.prompt_id, prompt.text) in written]  # fmt: skip
            kept = [QuestionedPrompt(prompt, tuple(parsed.kept)) for prompt, parsed in made]
            checked, filtered = _check_questions(options, kept)
    except KeyboardInterrupt:
        raise CommandError("stopped; run the same command again to continue") from None
    questioned = [each for each in checked if each.questions]
    if not questioned:
        raise CommandError(f"no prompt has a valid question; the model's output is in {options.file('raw')}")
    write_whole(Path(options.output).expanduser(), format_questions(questioned).encode())
    counted = Counter(str(dropped.reason) for _, parsed in made for dropped in parsed.dropped)
    unknown = sum(len(parsed.unknown_types) for _, parsed in made)
    print(_summary(options, questioned, counted, filtered, unknown))
    used = [written[prompt.prompt_id, prompt.text] for prompt, _ in made]
    print(_used(options, used))
    _tell_missing(options, prompts, questioned, failed)


def _prompts(options: WritingRequest, project: Path, export_prompts: ExportPrompts) -> list[Prompt]:
    """Of a file, or of a project."""
    if options.prompts is not None:
        return read_prompts(Path(options.prompts).expanduser(), options.suite or _SUITE)
    assert options.suite is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prompts.jsonl"
        if export_prompts(project, options.suite, path):
            raise CommandError(f"there are no prompts to ask about; first: import prompts FILE --suite {options.suite}")
        return read_prompts(path, options.suite)


@dataclass(frozen=True, slots=True)
class _WrittenText:
    """A line of the journal of what models wrote about prompts.

    Attributes:
        model, asked: the model and a fingerprint of the conversation: texts of another kind are not taken for these.
    """

    id: str
    caption: str
    model: str
    asked: str
    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    finished: bool | None = None


def _identity(options: WritingRequest) -> tuple[str, str]:
    """Return the model that is asked and the fingerprint of how, as `_WrittenText` has them."""
    if options.base_url is None:
        return options.model or LLAMA, "llama2"
    fingerprint = digest(*(turn["content"] for turn in conversation("")))[:12]
    return f"{options.base_url.rstrip('/')} {options.model}", fingerprint


def _written_before(options: WritingRequest) -> dict[tuple[str, str], _WrittenText]:
    """Return what this model has written so far, by the prompt's id and text."""
    identity = _identity(options)
    return {
        (written.id, written.caption): written
        for written in _journal_records(_WrittenText, options.file("raw"))
        if (written.model, written.asked) == identity
    }


def _ask_missing(options: WritingRequest, prompts: Sequence[Prompt]) -> dict[str, str]:
    """Have the model write about those prompts that it has not written about; returns whom that failed, and why."""
    known = _written_before(options)
    left = [prompt for prompt in prompts if (prompt.prompt_id, prompt.text) not in known]
    if not left:
        warn(f"all {len(prompts)} prompts were asked before; their answers are read again")
        return {}
    captions = [prompt.text for prompt in left]
    if options.base_url is not None:
        assert options.model is not None
        endpoint = Endpoint(options.base_url, options.model, os.environ.get(KEY) or None)
        _confirm(options, captions, len(prompts) - len(left))
        completions = ask_endpoint(endpoint, captions)
    else:
        model = options.model or LLAMA
        warn(f"{len(left)} of {len(prompts)} prompts to ask of {model} on {options.device}, about {_tokens_out(left)} tokens")
        completions = ask_local_model(model, options.device, captions)
    return _write_answers(options, left, completions)


def _write_answers(
    options: WritingRequest, left: Sequence[Prompt], completions: Iterator[Completion | Failure]
) -> dict[str, str]:
    """Write down what comes, as it comes."""
    failed: dict[str, str] = {}
    in_a_row = 0
    progress, identity = CheckProgress(len(left), "prompts"), _identity(options)
    with open_journal(options.file("raw")) as append:
        for prompt, completion in zip(left, completions, strict=True):
            progress.more()
            if isinstance(completion, Failure):
                failed[prompt.prompt_id] = completion.reason
                in_a_row += 1
                if in_a_row == _MOST_FAILURES:
                    raise CommandError(f"{in_a_row} prompts in a row failed, the last because {completion.reason}")
                continue
            in_a_row = 0
            tokens = completion.tokens_in, completion.tokens_out
            written = _WrittenText(prompt.prompt_id, prompt.text, *identity, completion.text, *tokens, completion.finished)
            append(asdict(written))
    return failed


def _tokens_out(prompts: Sequence[object]) -> str:
    each = sum(len(example.answer) for example in prompt_examples()) / len(prompt_examples()) / _CHARACTERS
    return f"{len(prompts) * each:z,.0f}"


def _confirm(options: WritingRequest, captions: Sequence[str], before: int) -> None:
    """Say what it will take, and have it allowed.

    Raises:
        UsageError: it was not.
    """
    tokens_in = sum(len(turn["content"]) for caption in captions for turn in conversation(caption)) / _CHARACTERS
    tokens_out = float(_tokens_out(captions).replace(",", ""))
    cost = _cost(options, tokens_in, tokens_out) or "; --price-in and --price-out say what that costs"
    done = f" ({before} were asked before)" if before else ""
    warn(
        f"{len(captions)} prompts to ask of {options.model} at {options.base_url}{done}: about {tokens_in:z,.0f} tokens in and"
        f" {tokens_out:z,.0f} out{cost}"
    )
    if options.yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("no request was sent; add --yes to continue")
    print("Go ahead? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError("nothing was asked")


def _cost(options: WritingRequest, tokens_in: float, tokens_out: float) -> str:
    if options.price_in is None or options.price_out is None:
        return ""
    return f", about {(tokens_in * options.price_in + tokens_out * options.price_out) / 1e6:z,.4f} at these prices"


def _summary(
    options: WritingRequest, prompts: Sequence[QuestionedPrompt], dropped: Counter[str], filtered: Counter[str], unknown: int
) -> str:
    n = sum(len(prompt.questions) for prompt in prompts)
    parts = [f"{n} questions about {len(prompts)} prompts in {options.output}"]
    for label, counts in (("dropped as written", dropped), ("dropped by the filter", filtered)):
        why = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.most_common())
        parts.append(f"{counts.total()} {label}" + (f" ({why})" if why else ""))
    if unknown:
        parts.append(f"{unknown} of unknown type, filed under other")
    return "; ".join(parts)


def _used(options: WritingRequest, texts: Sequence[_WrittenText]) -> str:
    """Return the line that sums up the tokens of all texts, as far as the model counts them."""
    tokens = sum(text.tokens_in or 0 for text in texts), sum(text.tokens_out or 0 for text in texts)
    cut = sum(text.finished is False for text in texts)
    more = f"; {cut} answers were cut off for length" if cut else ""
    return f"{tokens[0]:,} tokens in, {tokens[1]:,} out{_cost(options, *tokens)}{more}; as written: {options.file('raw')}"


def _tell_missing(
    options: WritingRequest,
    prompts: Sequence[Prompt],
    questioned: Sequence[QuestionedPrompt],
    failed: Mapping[str, str],
) -> None:
    """Raises CommandError: a prompt has no question."""
    for prompt_id, why in [*failed.items()][:_NAMED]:
        warn(f"{prompt_id}: {why}")
    there = {row.prompt.prompt_id for row in questioned}
    without = [prompt.prompt_id for prompt in prompts if prompt.prompt_id not in there]
    if without:
        some = ", ".join(without[:_NAMED]) + (" ..." if len(without) > _NAMED else "")
        again = f"; {len(failed)} of them were not answered, and are asked again by the same command" if failed else ""
        raise CommandError(
            f"{len(without)} of {len(prompts)} prompts have no question: {some}{again}; {options.output} has the rest"
        )
