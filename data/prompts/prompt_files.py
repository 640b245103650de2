"""Prompt files: our own JSON lines, GenEval's metadata, TIFA's text inputs, plain text; read and written."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from data.files import InputError, Problems, check_name, located, quoted, read_text
from data.json_files import json_entries
from data.records import Prompt
from data.spec import SpecError, parse_spec
from data.validation import text_of

_OWN_KEYS: Final = ("prompt_id", "prompt", "text", "task", "spec")


def read_prompts(path: Path, suite: str) -> list[Prompt]:
    """Read a file of prompts; its shape is recognised.

    - JSON lines: ours ``{"prompt_id"?, "prompt" or "text", "task"?, "spec"?}`` or GenEval's metadata
      ``{"tag", "include", "exclude"?, "prompt"}`` (the whole object becomes the spec, ``tag`` the task);
    - a JSON array of such objects, or of TIFA's ``{"id", "caption"}`` (id ``suite/<id>``; task: what precedes the ``_``);
    - ``.txt``: one prompt per line.

    A prompt without an id of its own is numbered by its line (from 0), in an array by its place. Blank lines are skipped
    but keep their number, so that a number always is the line in the file as published. Two prompts may have one text.

    Raises:
        InputError: anything is wrong; nothing is read then.
        ValueError: the suite's name cannot be used.
    """
    check_name(suite, "the suite's name")
    text = read_text(path)
    problems = Problems(path)
    lines: dict[str, int] = {}
    prompts = []
    for number, line, read in file_entries(path, text):
        with problems.at(line):
            prompt = _prompt(read(), number, suite)
            if prompt.prompt_id in lines:
                raise ValueError(
                    f"id {quoted(prompt.prompt_id)} is that of line {lines[prompt.prompt_id]} too; ids must differ"
                )
            lines[prompt.prompt_id] = line
            prompts.append(prompt)
    problems.check()
    if not prompts:
        raise InputError(located(path, None, "holds no prompts; one per line is expected"))
    return prompts


def format_prompts(prompts: Sequence[Prompt]) -> str:
    """The text of a prompt file from which ``read_prompts`` gets the same prompts.

    A GenEval set (``geneval``, or a sampled ``geneval@...``) becomes metadata lines exactly as published, which the
    paper's own scripts read; everything else our own shape.

    Raises:
        ValueError: the prompts are of several suites.
    """
    suites = {prompt.suite for prompt in prompts}
    if len(suites) > 1:
        raise ValueError(f"a prompt file holds one suite, got {', '.join(sorted(suites))}")
    # whether each metadata line alone, at its place of the file, gives the prompt back
    as_published = all(
        prompt.suite.split("@", 1)[0] == "geneval"
        and "include" in prompt.spec
        and prompt.prompt_id == _numbered(prompt.suite, number)
        and (prompt.spec.get("prompt"), prompt.spec.get("tag")) == (prompt.text, prompt.task)
        for number, prompt in enumerate(prompts)
    )
    return "".join(json.dumps(prompt.spec if as_published else _own(prompt)) + "\n" for prompt in prompts)


def write_prompts(prompts: Sequence[Prompt], out: Path) -> Path:
    """Write a prompt file (see ``format_prompts``) and return its path."""
    out.write_text(format_prompts(prompts), encoding="utf-8", newline="\n")
    return out


def file_entries(path: Path, text: str) -> Iterator[tuple[int, int, Callable[[], Any]]]:
    """``(number, line, read)`` of each entry; ``read()`` gives the object, for plain text (``.txt``) a bare string."""
    if path.suffix.lower() != ".txt":
        yield from json_entries(path, text)
        return
    for number, content in enumerate(text.split("\n")):
        if content.strip():
            yield number, number + 1, partial(str, content.removesuffix("\r"))


def _prompt(value: Any, number: int, suite: str) -> Prompt:
    if isinstance(value, str):
        value = {"prompt": value}
    if not isinstance(value, dict):
        raise ValueError(f"found {quoted(value)}, a JSON object with a 'prompt' expected")
    if "include" in value or ("tag" in value and "spec" not in value):
        return _geneval(value, number, suite)
    if "caption" in value and "id" in value:
        name = check_name(text_of(value, "id"), "the id")
        return Prompt(f"{suite}/{name}", suite, text_of(value, "caption"), text_source(name))
    return _ours(value, number, suite)


def _geneval(value: dict[str, Any], number: int, suite: str) -> Prompt:
    for key in ("tag", "include", "prompt"):
        if key not in value:
            raise ValueError(f"GenEval metadata without '{key}'; expected are tag, include, prompt and perhaps exclude")
    task = text_of(value, "tag")
    return Prompt(_numbered(suite, number), suite, text_of(value, "prompt"), task, _checked_spec(value))


def text_source(text_id: str) -> str:
    """TIFA's element of an id that says where the text comes from: ``coco`` of ``coco_669925``."""
    return text_id.split("_", 1)[0]


def _ours(value: dict[str, Any], number: int, suite: str) -> Prompt:
    for key in value:
        if key not in _OWN_KEYS and (near := difflib.get_close_matches(key, _OWN_KEYS, 1, 0.8)):
            raise ValueError(f"unknown key {quoted(key)}; did you mean '{near[0]}'?")
    present = [key for key in ("prompt", "text") if key in value]
    if not present:
        raise ValueError(f"an object with 'prompt' (or 'text') expected, found the keys {quoted(', '.join(value))}")
    text = text_of(value, present[0])
    if value[present[-1]] != text:
        raise ValueError("'prompt' and 'text' differ; give one of them")
    task = None if value.get("task") is None else text_of(value, "task")
    spec = {} if value.get("spec") is None else value["spec"]
    prompt_id = _numbered(suite, number) if value.get("prompt_id") is None else _given_id(text_of(value, "prompt_id"), suite)
    return Prompt(prompt_id, suite, text, task, _checked_spec(spec))


def _given_id(prompt_id: str, suite: str) -> str:
    if not prompt_id.startswith(f"{suite}/"):
        raise ValueError(f"'prompt_id' is {quoted(prompt_id)}, it must begin with '{suite}/' (the suite given for this file)")
    check_name(prompt_id.removeprefix(f"{suite}/"), "the id")
    return prompt_id


def _numbered(suite: str, number: int) -> str:
    return f"{suite}/{number:05d}"


def _checked_spec(spec: Any) -> dict[str, Any]:
    if not isinstance(spec, dict):
        raise ValueError(f"'spec' is {quoted(spec)}, a JSON object expected")
    try:
        json.dumps(spec, allow_nan=False)
        parse_spec(spec)
    except SpecError as error:
        raise ValueError(f"spec: {error}") from None
    except (TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"spec of an unknown shape ({error})") from None
    return spec


def _own(prompt: Prompt) -> Mapping[str, Any]:
    entry: dict[str, Any] = {"prompt_id": prompt.prompt_id, "prompt": prompt.text}
    if prompt.task is not None:
        entry["task"] = prompt.task
    if prompt.spec:
        entry["spec"] = prompt.spec
    return entry
