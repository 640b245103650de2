"""Prompt files: our own JSON lines, GenEval's metadata, plain text, tables and what suites publish; read and written."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from data.files import InputError, Omissions, check_name, located, quoted, read_text
from data.folding import fold_spelling
from data.json_files import JsonStream, json_entries, parse_json
from data.records import Prompt
from data.spec import SpecError, parse_spec
from data.tables import read_table
from data.validation import text_of

_OWN_KEYS: Final = ("prompt_id", "prompt", "text", "task", "spec")
_TEXT_KEYS: Final = (
    "prompt", "prompts", "text", "caption", "prompt_en", "prompt_zh", "prompt_cn", "short_description", "long_description",
    "prompt in chinese", "prompt_text",
)  # fmt: skip
"""Names that published files have for a prompt's text, in small letters; the first that is there is read."""
_ID_KEYS: Final = ("prompt_id", "id", "index", "item_id")
_TASK_KEYS: Final = ("task", "category", "type", "dimension", "tag")
_TABLES: Final = (".csv", ".tsv", ".xlsx", ".xls")


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A file's prompts in its order, with the line of each, what was left out of it, and what was read otherwise."""

    prompts: list[Prompt]
    lines: Mapping[str, int]
    omissions: Omissions


def read_prompts(path: Path, suite: str) -> list[Prompt]:
    """Read a file of prompts; its shape is recognised (see ``read_prompt_file``).

    Raises:
        InputError: anything is wrong; nothing is read then.
        ValueError: the suite's name cannot be used.
    """
    file = read_prompt_file(path, suite)
    file.omissions.check()
    return file.prompts


def read_prompt_file(path: Path, suite: str) -> PromptFile:
    """Read a file of prompts; its shape is recognised. A flawed entry is left out.

    - JSON lines: ours ``{"prompt_id"?, "prompt" or "text", "task"?, "spec"?}`` or GenEval's metadata
      ``{"tag", "include", "exclude"?, "prompt"}`` (the whole object becomes the spec, ``tag`` the task);
    - a JSON array of such objects or of texts, or of TIFA's ``{"id", "caption"}`` (id ``suite/<id>``; task: what precedes the
      ``_``); a JSON object of objects by id (GenAI-Bench);
    - CSV, TSV or Excel with a header: a column of texts, perhaps of ids and of tasks;
    - ``.txt``: one prompt per line; a folder of ``.txt`` files: one prompt per file, named by it (DPG-Bench).

    Objects and tables may have the names that published suites use (``Prompt``, ``prompt_en``, ``index``, ``Category``, ...).
    A prompt without an id of its own is numbered by its line (from 0), in an array or a table by its place. Blank lines are
    skipped but keep their number, so that a number always is the line in the file as published. Two prompts may have one text.
    The same id with the same text counts once. Where ids begin anew in each task (OneIG), they become ``<task>-<id>``.

    Raises:
        InputError: the file cannot be read, or no prompt in it.
        ValueError: the suite's name cannot be used.
    """
    check_name(suite, "the suite's name")
    omissions = Omissions(path)
    entries: list[tuple[int, Prompt]] = []
    for number, line, read in prompt_entries(path, omissions):
        with omissions.at(line):
            entries.append((line, _prompt(read(), number, suite)))
    lines: dict[str, int] = {}
    prompts: dict[str, Prompt] = {}
    n_repeats = 0
    for line, prompt in _ids_by_task(entries, omissions):
        known = prompts.get(prompt.prompt_id)
        if known is None:
            prompts[prompt.prompt_id], lines[prompt.prompt_id] = prompt, line
        elif fold_spelling(known.text) == fold_spelling(prompt.text):
            n_repeats += 1
        else:
            first = lines[prompt.prompt_id]
            problem = f"id {quoted(prompt.prompt_id)} is that of line {first} too, which has {quoted(known.text)}"
            omissions.left_out(line, f"{problem}, not {quoted(prompt.text)}; ids must differ")
    if n_repeats:
        repeat = "1 entry repeats" if n_repeats == 1 else f"{n_repeats:,} entries repeat"
        omissions.note(None, f"{repeat} an id with its text; each prompt counts once")
    if not prompts:
        omissions.check()
        raise InputError(located(path, None, "holds no prompts; one per line is expected"))
    return PromptFile([*prompts.values()], lines, omissions)


def _ids_by_task(entries: Sequence[tuple[int, Prompt]], omissions: Omissions) -> list[tuple[int, Prompt]]:
    """Return the prompts with ``<task>-<id>`` as ids if the ids begin anew in each task, else as they are."""
    texts: dict[str, set[str]] = {}
    for _, prompt in entries:
        texts.setdefault(prompt.prompt_id, set()).add(fold_spelling(prompt.text))
    if all(len(different) == 1 for different in texts.values()):
        return list(entries)
    renamed = [
        (line, replace(prompt, prompt_id=f"{prompt.suite}/{prompt.task}-{prompt.prompt_id.partition('/')[2]}"))
        for line, prompt in entries
        if prompt.task and "/" not in prompt.task
    ]
    by_id = Counter(prompt.prompt_id for _, prompt in renamed)
    if len(renamed) < len(entries) or len(by_id) < len(renamed):
        return list(entries)
    omissions.note(None, f"ids begin anew in each task, so they become <task>-<id>, such as {quoted(renamed[0][1].prompt_id)}")
    return renamed


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


def prompt_entries(path: Path, omissions: Omissions) -> Iterator[tuple[int, int, Callable[[], Any]]]:
    """Like ``file_entries``, but reads tables, folders of texts and JSON objects by id, too."""
    if path.is_dir():
        texts = sorted(path.glob("*.txt"))
        if not texts:
            raise InputError(located(path, None, "a folder without .txt files; one prompt per file is expected"))
        for number, file in enumerate(texts):
            yield number, 1, partial(_text_file, file)
        return
    if path.suffix.lower() in _TABLES:
        table = read_table(path)
        omissions.notes += [located(path, None, note) for note in table.notes]
        for number, (line, row) in enumerate(table.rows()):
            yield number, line, partial(_filled_cells, row)
        return
    text = read_text(path)
    if text.lstrip().startswith("{") and (by_id := _objects_by_id(path, text)) is not None:
        for number, (line, name, value) in enumerate(by_id):
            # its own id comes first
            yield number, line, partial(dict, {"prompt_id": name} | value if not _value_of(value, _ID_KEYS) else value)
        return
    yield from file_entries(path, text)


def _text_file(path: Path) -> dict[str, Any]:
    return {"prompt_id": path.stem, "prompt": read_text(path).strip()}


def _filled_cells(row: Mapping[str, str]) -> dict[str, Any]:
    """Return a table's row as an object; a cell of a spec holds JSON."""
    filled: dict[str, Any] = {key: cell for key, cell in row.items() if cell.strip() or key.strip().casefold() in _TEXT_KEYS}
    if "spec" in filled:
        with suppress(ValueError, RecursionError):
            filled["spec"] = json.loads(filled["spec"])
    return filled


def _objects_by_id(path: Path, text: str) -> list[tuple[int, str, dict[str, Any]]] | None:
    """Return ``(line, id, object)`` of each entry if the file is one JSON object of objects that hold prompts, else None."""
    with suppress(InputError):  # JSON lines
        value = parse_json(path, 1, text)
        if value and all(isinstance(entry, dict) and _value_of(entry, _TEXT_KEYS) is not None for entry in value.values()):
            return list(JsonStream.of_text(path, text).object())
    return None


def _prompt(value: Any, number: int, suite: str) -> Prompt:
    if isinstance(value, str):
        value = {"prompt": value}
    if not isinstance(value, dict):
        raise ValueError(f"found {quoted(value)}, a JSON object with a 'prompt' expected")
    if "include" in value or ("tag" in value and "spec" not in value and not {"category", "task"} & value.keys()):
        return _geneval(value, number, suite)
    if "caption" in value and "id" in value:
        name = check_name(text_of(value, "id"), "the id")
        return Prompt(f"{suite}/{name}", suite, text_of(value, "caption"), text_source(name))
    return _named(value, number, suite)


def _geneval(value: dict[str, Any], number: int, suite: str) -> Prompt:
    for key in ("tag", "include", "prompt"):
        if key not in value:
            raise ValueError(f"GenEval metadata without '{key}'; expected are tag, include, prompt and perhaps exclude")
    task = text_of(value, "tag")
    return Prompt(_numbered(suite, number), suite, text_of(value, "prompt"), task, _checked_spec(value))


def text_source(text_id: str) -> str:
    """TIFA's element of an id that says where the text comes from: ``coco`` of ``coco_669925``."""
    return text_id.split("_", 1)[0]


def _named(value: dict[str, Any], number: int, suite: str) -> Prompt:
    """Return the prompt of an object or a row by its names, ours or those of published files."""
    names = {str(key).strip().casefold(): key for key in value}
    known = {*_OWN_KEYS, *_TEXT_KEYS, *_ID_KEYS, *_TASK_KEYS}
    for name, key in names.items():
        near = difflib.get_close_matches(name, _OWN_KEYS, 1, 0.8)
        if name not in known and near and near[0] not in names and not (near[0] in _TEXT_KEYS and names.keys() & {*_TEXT_KEYS}):
            raise ValueError(f"unknown key {quoted(key)}; did you mean '{near[0]}'?")
    text_key = next((names[name] for name in _TEXT_KEYS if name in names), None)
    if text_key is None:
        raise ValueError(f"an object with 'prompt' (or 'text') expected, found the keys {quoted(', '.join(map(str, value)))}")
    text = text_of(value, text_key)
    if text_key == "prompt" and value.get("text", text) != text:
        raise ValueError("'prompt' and 'text' differ; give one of them")
    spec = {} if value.get("spec") is None else value["spec"]
    return Prompt(_id_of(value, number, suite), suite, text, _task_of(value), _checked_spec(spec))


def _value_of(value: Mapping[str, Any], known: Sequence[str]) -> Any:
    """Return what an object has under the first of these names, in any case of their letters; None without one."""
    names = {str(key).strip().casefold(): entry for key, entry in value.items()}
    return next((names[name] for name in known if names.get(name) is not None), None)


def _task_of(value: Mapping[str, Any]) -> str | None:
    task = _value_of(value, _TASK_KEYS)
    if isinstance(task, list) and task and all(isinstance(part, str) for part in task):
        task = "+".join(task)
    return None if task is None else text_of({"task": task}, "task")


def _id_of(value: Mapping[str, Any], number: int, suite: str) -> str:
    name = _value_of(value, _ID_KEYS)
    if name is None:
        return _numbered(suite, number)
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    key = next(key for key in _ID_KEYS if key in {str(each).strip().casefold() for each in value})
    name = text_of({key: name}, key).strip()
    if "/" in name and not name.startswith(f"{suite}/"):
        raise ValueError(f"'{key}' is {quoted(name)}, it must begin with '{suite}/' (the suite given for this file)")
    return f"{suite}/{check_name(name.removeprefix(f'{suite}/'), 'the id')}"


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
