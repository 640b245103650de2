"""Everything that people and scripts outside this repository rely on, as sorted lines of text: the public surface.

It is read from the running app wherever that is possible: commands are walked and run, routes are asked, files are written and
read again. `python -m tests.surface.record` writes the record beside this file; `test_surface.py` compares.
"""

from __future__ import annotations

import csv
import inspect
import io
import json
import os
import re
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import duckdb
import pyarrow.parquet as pq
import pytest
import typer
from starlette.testclient import TestClient

# All that the record needs to know of the inside. Where modules move, only these lines follow.
import app as command_line
from annotation.questionnaires.registry import FORMS
from concord import plugin
from concord.common import forwarding
from concord.people import PARAMETERS as PLATFORMS
from concord.runs import run_session
from concord.runs.score import rater_of
from data import aspects
from data.jobs import generation, maps
from data.store import imports
from data.store.core import schema
from data.store.core.connections import DATABASE
from data.store.core.store import Store
from data.store.imports import ImportBundle
from docs.making import pages as page_docs
from scorers import registry
from tests.ui import answers_project, cow_scorer, drawn_images, http_visitor, matching_evidence, question_project, small_project
from ui.web.server import create_app

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
COMMAND: Final = "uv run python -m tests.surface.record"

Lines = list[str]
Record = dict[str, Lines]
"""Lines by the name of their file."""

FREE: Final = re.compile(
    r"(^|\.)(answers|draft|expected|settings|scales|payload|weights|versions|spec|excluded|tables|errors|profiles|by_rater|shares"
    r"|values|counts|levels)$"
)
"""Objects whose keys are ids or names of a project's own, or the scorer's: written as ``*``."""
NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


# --- JSON ---


def kind(value: Any) -> str:
    """The JSON type of a value."""
    names = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null", dict: "object", list: "array"}
    return names[type(value)]


def key_paths(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each key path of a JSON document with the type of its value; lists are ``[]``, free keys ``*``."""
    yield path or ".", kind(value)
    if isinstance(value, list):
        for each in value:
            yield from key_paths(each, f"{path}[]")
    elif isinstance(value, dict):
        free = FREE.search(path) or not all(NAME.fullmatch(key) for key in value)
        for key, each in value.items():
            yield from key_paths(each, f"{path}.{'*' if free else key}".lstrip("."))


def described(about: str, documents: Iterable[Any]) -> Lines:
    """A line for each key path of these documents: ``about: path type``."""
    types: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        for path, name in key_paths(document):
            types[path].add(name)
    return sorted(f"{about}: {path} {'|'.join(sorted(names))}" for path, names in types.items())


def json_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.split("\n") if line]


# --- a project with something of everything ---


def project_in(folder: Path) -> Path:
    """Two scorers' runs with detections, a VQA model, captions, and people who answer every kind of questionnaire."""
    project = drawn_images.project(folder, size=64)
    small_project.done(project, "import", "questions", "--from-specs")
    pair = [small_project.png(folder / "itm" / f"{name}.png", size=(8, 8)).name for name in ("a", "b")]
    row = {"id": 0, "image_0": pair[0], "image_1": pair[1], "caption_0": "a b", "caption_1": "b a", "tag": "T"}
    (folder / "itm" / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    small_project.done(project, "import", "itm", folder / "itm" / "rows.jsonl", "--images", folder / "itm")
    with Store(project) as store:
        items = question_project.items(store)
        drawn = [item for item in items if item.startswith("geneval/")]
        captioned = [item for item in items if item.startswith("winoground/")]
        question_project.answer(store, question_project.VQA, question_project.mostly(0.8), drawn)
        question_project.say(store, "quinn", question_project.mostly(0.9), drawn)
        scales = [("winoground", name, aspects.SCALES[name]) for name in ("caption", "correct", "score")]
        imports.apply(store, [ImportBundle("scales", "winoground", "s", scales=scales)])
        matching_evidence.said(store, "matcher", {item: [0.2, 0.1] for item in captioned})
        answers_project.fill(store)
    small_project.done(project, "people", "invite", "--note", "n")
    return project


# --- commands ---


def commands() -> Lines:
    """Every command, argument and option of the command line."""
    return sorted(
        line for path, command in walk(typer.main.get_command(command_line.app), ()) for line in _command(path, command)
    )


def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """A command and all below it, with the words that call each."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from walk(below, (*path, name))


def _command(path: Sequence[str], command: Any) -> Lines:
    words = " ".join(("app.py", *path))
    return [words, *(f"{words}: {_parameter(parameter)}" for parameter in command.params if parameter.name != "help")]


def _parameter(parameter: Any) -> str:
    annotation = parameter.type_descriptor.annotation
    names = "/".join((*parameter.opts, *parameter.secondary_opts))
    facts = ["flag" if getattr(parameter, "is_flag", False) else _type(annotation)]
    facts += ["required"] if parameter.required else []
    facts += ["multiple"] if parameter.multiple or parameter.nargs == -1 else []
    facts += [f"{bound}={limit}" for bound in ("min", "max") if (limit := getattr(parameter, bound, None)) is not None]
    default = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    if isinstance(default, Path):
        default = default.relative_to(ROOT).as_posix()
    facts += [f"default={default!r}"] if default not in (None, [], ()) else []
    return f"{parameter.param_type_name} {names} {' '.join(facts)}"


def _type(annotation: Any) -> str:
    """A parameter's type, choices written out."""
    inner = [each for each in get_args(annotation) if each is not type(None)]
    if get_origin(annotation) is Literal:
        return "{" + ",".join(sorted(inner)) + "}"
    if get_origin(annotation) is list or inner:
        return _type(inner[0])
    if inspect.isclass(annotation) and issubclass(annotation, Enum):
        return "{" + ",".join(sorted(str(each.value) for each in annotation)) + "}"
    return str(annotation.__name__)


PRINTED: Final[dict[str, tuple[str, ...]]] = {
    "agreement": ("--no-intervals", "--compare", "--thresholds", "--by", "certainty", "--consensus", "majority"),
    "rank": ("--no-intervals",),
    "alt-test": (),
    "estimate": ("--label-sample", "4"),
    "plan": (),
    "rater-effects": (),
    "flips": ("--no-intervals",),
    "preferences": ("--no-intervals",),
    "vqa": ("--no-intervals",),
    "itm": ("--no-intervals",),
    "backup": ("--list",),
    "restore": (),
    "doctor": ("--only", "project"),
    "campaigns show": ("own",),
    "people list": (),
    "people invitations": (),
    "reproduce visor": (),
}
"""Commands that print JSON, with what else they are called with."""
_STUDIES: Final = ("all", "arena", "genai-bench", "geneval", "imagenhub", "selfeval", "tia2", "tifa", "viescore")
NOT_RUN: Final = {"ablate", "drift", *(f"reproduce {study}" for study in _STUDIES)}
"""Commands that print JSON of a diffusion model's runs or of a published study's files, which are not here."""


def printing_json() -> set[str]:
    """The commands that have ``--format json``."""
    results = set()
    for path, command in walk(typer.main.get_command(command_line.app), ()):
        for parameter in command.params:
            if "--format" in parameter.opts and "json" in _type(parameter.type_descriptor.annotation).strip("{}").split(","):
                results.add(" ".join(path))
    return results


def printed(project: Path) -> Lines:
    """Key paths of what commands print as JSON."""
    lines: Lines = []
    small_project.done(project, "backup")
    for words, more in PRINTED.items():
        ran = small_project.concord(project, *words.split(), *more, "--format", "json")
        assert ran.out, (words, ran.err)
        lines += described(f"{words} {' '.join(more)}".strip(), [json.loads(ran.out)])
    return sorted(lines)


# --- pages and routes ---


def pages(client: TestClient) -> Lines:
    """Each page with what its address may hold."""
    lines = [f"/studio/{path} {title}" for path, title, *_ in client.get("/studio/config").json()["pages"]]
    for name, page in page_docs.present().items():
        lines += [f"{page.path} ?{key}" for key in sorted(page_docs.accepted(name) | set(page_docs.documented(name)))]
    lines += [f"/annotate/ ?{key}" for key in _in_script("form.js", r'URLSearchParams\(location\.search\)\.get\("(\w+)"\)')]
    lines += [f"/join/{{token}} ?{key}" for key in PLATFORMS.values()]
    return sorted(lines)


def _in_script(name: str, pattern: str) -> set[str]:
    """What a pattern finds in the scripts of this name, wherever in the assets they are."""
    paths = [path for path in (ROOT / "assets").rglob("*.js") if path.match(name)]
    return {value for path in paths for value in re.findall(pattern, path.read_text(encoding="utf-8"))}


def routes(application: Any) -> Lines:
    """Every route: method, path, what its query and body hold."""
    description = application.openapi()
    lines = [f"MOUNT {route.path}" for route in application.routes if type(route).__name__ == "Mount"]
    lines += [f"GET {route.path}" for route in application.routes if getattr(route, "include_in_schema", True) is False]
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            words = f"{method.upper()} {path}"
            lines.append(words)
            for entry in operation.get("parameters", ()):
                required = " required" if entry["required"] else ""
                lines.append(f"{words}: {entry['in']} {entry['name']} {_schema(entry['schema'], description)}{required}")
            for content in operation.get("requestBody", {}).get("content", {}).values():
                lines += [f"{words}: body {line}" for line in _fields(content["schema"], description)]
    return sorted(set(lines))


def _schema(schema: Mapping[str, Any], description: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return "|".join(sorted(_schema(each, description) for each in schema["anyOf"]))
    if "$ref" in schema:
        named = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return _schema(named, description) if "enum" in named else "object"
    if "enum" in schema:
        return "{" + ",".join(sorted(map(str, schema["enum"]))) + "}"
    if schema.get("type") == "array":
        return f"array of {_schema(schema.get('items', {}), description)}"
    return str(schema.get("type", "any"))


def _fields(schema: Mapping[str, Any], description: Mapping[str, Any]) -> Lines:
    if "$ref" in schema:
        schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    required = set(schema.get("required", ()))
    return [
        f"{name} {_schema(each, description)}{' required' if name in required else ''}"
        for name, each in schema.get("properties", {}).items()
    ]


# --- answers of routes ---

ITEMS: Final = ("geneval/00000/renderer-careless/0", "geneval/00003/renderer-careless/0", "mine/00000/g1/0", "mine/00001/g1/1")
STUDIO: Final[dict[str, tuple[str, ...]]] = {
    "version": ("",),
    "items": ("", "suite=geneval&rater=geneval-playground", "suite=mine&rater=people&order=split"),
    "rows": ("suite=mine", "suite=geneval"),
    "facets": ("", "suite=geneval&rater=geneval-playground&order=split"),
    "strip": ("of=clipscore-playground",),
    "tags": ("",),
    "views": ("",),
    "item": tuple(f"id={item}" for item in ITEMS),
    "task": tuple(f"id={item}" for item in ITEMS),
    "evidence": tuple(f"id={item}" for item in ITEMS),
    "neighbours": (f"id={ITEMS[0]}",),
    "remarks": tuple(f"id={item}" for item in ITEMS),
}
"""JSON routes of Studio, each with the queries that it is asked."""


def answers_of_studio(client: TestClient) -> Lines:
    """Key paths of what Studio's JSON routes answer: before anything is uncovered, and after."""
    client.post("/api/name", json={"name": "researcher"})
    answers: dict[str, list[Any]] = defaultdict(list)

    def post(path: str, body: Mapping[str, Any]) -> None:
        answers[f"POST /api/studio/{path}"].append(client.post(f"/api/studio/{path}", json=body).json())

    def ask() -> None:
        for name, queries in STUDIO.items():
            answers[f"GET /api/studio/{name}"] += [client.get(f"/api/studio/{name}?{query}").json() for query in queries]

    ask()
    for item in ITEMS:
        post("uncover", {"id": item})
    post("tags", {"id": _uuid(1), "items": list(ITEMS[:2]), "tag": "odd", "on": True})
    post("views", {"id": _uuid(2), "name": "mine", "query": "suite=mine"})
    post("notes", {"id": _uuid(3), "item": ITEMS[0], "text": "look"})
    verdict = {"aspect": "correct", "target": None, "verdict": "yes", "wrong": "scorer", "rater": "geneval-playground"}
    post("verdict", {"id": _uuid(4), "item": ITEMS[0], **verdict})
    ask()
    post("views/forget", {"id": _uuid(5), "name": "mine"})
    return sorted(line for route, documents in answers.items() for line in described(route, documents))


def _uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def answers_of_form(client: Callable[[], TestClient]) -> Lines:
    """Key paths of what the form's routes answer to somebody who labels everything, with detours."""
    answers: dict[str, list[Any]] = defaultdict(list)
    visitor = client()

    def get(path: str) -> Any:
        answers[f"GET /api/{re.sub('mine/.*', 'mine/{annotation_id}', path)}"].append(
            reply := visitor.get(f"/api/{path}").json()
        )
        return reply

    def post(path: str, **body: Any) -> Any:
        answers[f"POST /api/{path}"].append(reply := visitor.post(f"/api/{path}", json=body).json())
        return reply

    get("next")  # nobody yet
    post("name", name="ann")
    get("last")
    task = get("next")["tasks"][0]
    post("campaign", campaign="default")
    post("draft", ticket=task["ticket"], campaign="default", answers={"objects": "a"})
    get("next")
    post("skip", ticket=task["ticket"], campaign="default")
    post("unskip")
    task = get("next")["tasks"][0]
    post("submit", id=_uuid(1), ticket=task["ticket"], campaign="default", answers={"count_0": 77})  # refused
    post("submit", id=_uuid(2), ticket=task["ticket"], campaign="default", answers=http_visitor.COW, offer=task["offer"])
    again = {"ticket": task["ticket"], "campaign": "default", "answers": http_visitor.COW | {"count_0": 2}, "revises": _uuid(2)}
    post("submit", id=_uuid(3), **again)
    get(f"mine/{get('mine')['answers'][0]['id']}")
    get("last")
    task = get("next")["tasks"][0]
    post("submit", id=_uuid(4), ticket=task["ticket"], campaign="default", answers=http_visitor.COW, following=True)
    task = get("next")["tasks"][0]
    post("report", ticket=task["ticket"], campaign="default", reason="broken")
    task = get("next")["tasks"][0]
    post("submit", id=_uuid(5), ticket=task["ticket"], campaign="default", answers=http_visitor.COW, following=True)
    get("next")
    post("pause")
    post("leave")
    return sorted(line for route, documents in answers.items() for line in described(route, documents))


# --- what browsers keep ---


def storage(client: TestClient) -> Lines:
    """Names in the browser: keys of its storage, from the scripts' text as they are written there, and cookies."""
    lines = [f"sessionStorage {key}" for key in _in_script("*.js", r'"(concord\.[\w.]+)"')]
    lines += [f"localStorage prefix {key}" for key in _in_script("*.js", r'PREFIX = "([^"]+)"')]
    keys = _in_script("*.js", r"(?:\bstore\.|(?<![\w.]))(?:read|write|remove|keys)\(\s*[\"'`]([\w.]+)") | _in_script(
        "*.js", r"`(draft\.(?:\w+\.)?)\$"
    )
    lines += [f"localStorage {key}{'*' if key.endswith('.') else ''}" for key in keys]
    lines += [f"indexedDB {key}" for key in _in_script("*.js", r'indexedDB\.open\(\s*"([^"]+)"')]
    lines += [f"cookie {re.sub('[0-9a-f]{8}', '<project>', cookie.name)}" for cookie in client.cookies.jar]
    return sorted(lines)


# --- files ---


def table(content: bytes, name: str) -> Lines:
    """Columns of a file by its ending: CSV, Parquet or JSON lines."""
    if name.endswith(".parquet"):
        return [f"{name}: {field.name} {field.type}" for field in pq.read_schema(io.BytesIO(content))]
    if not name.endswith((".csv", ".jsonl", ".json")):
        return [name]
    text = content.decode("utf-8-sig")
    if name.endswith(".csv"):
        return [f"{name}: {number:02d} {column}" for number, column in enumerate(next(csv.reader(io.StringIO(text))))]
    if name.endswith(".jsonl"):
        return described(name, json_lines(text))
    return described(name, [json.loads(text)])


def exports(project: Path, folder: Path) -> Lines:
    """Files, columns and types of every export."""
    lines: Lines = []
    for label in ("ratings", "judgements", "annotations"):
        for form in ("csv", "parquet", "jsonl"):
            small_project.done(project, "export", label, "-o", file := folder / f"{label}.{form}")
            lines += [f"export {label}: {line}" for line in table(file.read_bytes(), file.name)]
    for words in (("prompts", "--suite", "geneval"), ("questions", "--suite", "geneval"), ("manifest", "clipscore")):
        small_project.done(project, "export", *words, "-o", file := folder / f"{words[0]}.jsonl")
        lines += [f"export {words[0]}: {line}" for line in table(file.read_bytes(), file.name)]
    small_project.done(project, "export", "datasets", "-o", folder / "datasets")
    for file in sorted((folder / "datasets").rglob("*")):
        if file.is_file():
            lines += [f"export datasets: {line}" for line in table(file.read_bytes(), file.relative_to(folder).as_posix())]
    small_project.done(project, "export", "snapshot", "-o", folder / "snapshot.duckdb")
    lines += [f"export snapshot: {line}" for line in database(folder / "snapshot.duckdb")]
    small_project.done(
        project, "export", "report", "--suite", "mine", "--format", "parquet", "-o", file := folder / "report.zip"
    )
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            lines += [f"export report: {line}" for line in table(archive.read(name), name)]
    small_project.done(
        project, "export", "results", "geneval", "--rater", drawn_images.RATER, "-o", file := folder / "results.jsonl"
    )
    lines += [f"export results geneval: {line}" for line in table(file.read_bytes(), file.name)]
    return sorted(lines)


JOBS: Final = {
    "generation's job.json": generation.GenerationJob,
    "generation's job.json: wanted[]": generation.WantedPicture,
    "map's job.json": maps.MapJob,
}
"""Files of jobs that take a model to be run here, with the records that are written into them as they are."""


def folders(folder: Path) -> Lines:
    """Fields of the files in a project's folder: a run that a worker has made, a backup, jobs, the open app's address."""
    project, lines = folder / "project", []
    images = small_project.geneval_folder(folder / "sdv2")
    with pytest.MonkeyPatch.context() as patch:
        cow_scorer.known(patch)
        cow_scorer.within(patch, run_session)
        small_project.done(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
        small_project.done(project, "score", cow_scorer.NAME)
    small_project.done(project, "backup")
    forwarding.announce(project, forwarding.OpenApp("127.0.0.1", 1, "token", 1))
    for file in sorted(project.rglob("*")):
        path = re.sub(r"\d{8}T\d{6}Z", "<moment>", file.relative_to(project).as_posix())
        # the test's own scorer leaves it, and what lies in the cache is nobody's
        if file.is_file() and file.name != "made.txt" and not re.match(r"cache/|backups/[^/]+/runs/", path):
            text = file.read_bytes()
            lines += described(path, [json.loads(text)]) if path == forwarding.FILE else table(text, path) if text else [path]
    for name, record in JOBS.items():
        lines += [f"{name}: {each.name}" for each in fields(record)]
    return sorted(lines)


def database(path: Path) -> Lines:
    """Tables, columns and types."""
    query = """select table_name, column_name, data_type, is_nullable from information_schema.columns"""
    with closing(duckdb.connect(str(path), read_only=True)) as connection:
        rows = connection.execute(query).fetchall()
    return sorted(
        f"{table}.{column} {type_.lower()}{'' if null == 'YES' else ' not null'}" for table, column, type_, null in rows
    )


# --- names ---


def raters(store: Store) -> Lines:
    """What judges and what is asked, by names that stay in projects for ever: raters, questionnaires, suites, aspects."""
    lines = [f"aspect {name} {scale}" for name, scale in aspects.SCALES.items()]
    lines += [f"concord.plugin.{name}{_fields_of(getattr(plugin, name))}" for name in plugin.__all__]
    lines += [f"questionnaire {form.name} version {form.version}, rule {form.rule_version}" for form in FORMS.values()]
    suites = next(p for p in typer.main.get_command(command_line.app).commands["prompts"].params if p.name == "suite")  # type: ignore[attr-defined]
    lines += [f"suite {name}" for name in _type(suites.type_descriptor.annotation).strip("{}").split(",")]
    for name in (*registry.NAMES, *registry.IMPORTED):
        scorer = registry.get(name)
        lines.append(f"scorer {name} version {scorer.version}, {len(scorer.profiles)} profiles")
        lines += [f"scorer {name} judges {aspect} {scale}" for aspect, scale in scorer.scales.items()]
        lines += [f"scorer {name} option {key}={value!r}" for key, value in scorer.options.items()]
        lines += [f"scorer {name} knob {key}" for key in scorer.knobs]
        for profile, settings in scorer.profiles.items():
            rater = rater_of(store, scorer, profile, scorer.version, settings)
            lines.append(f"rater {rater.rater_id} is {name} --profile {profile}, version {rater.version}")
            lines += [f"rater {rater.rater_id} setting {key}={value!r}" for key, value in settings.items()]
    return sorted(lines)


def _fields_of(offered: Any) -> str:
    """The fields of a record that scorers of users' own make or read."""
    return f"({', '.join(each.name for each in fields(offered))})" if is_dataclass(offered) else ""


def surface(folder: Path) -> Record:
    """The whole record; projects are made in this folder."""
    record: Record = {"commands": commands()}
    project = project_in(folder / "whole")
    with Store(project) as store:
        application = create_app(store, "token")
        client = TestClient(application, "http://127.0.0.1", client=("127.0.0.1", 1234), raise_server_exceptions=False)
        record["pages"] = pages(client)
        record["routes"] = routes(application)
        record["answers"] = answers_of_studio(client)
        record["storage"] = storage(client)
    http_visitor.make_project(folder / "template")
    with http_visitor.open_world(folder / "template", folder / "labelled") as world:
        record["answers"] = sorted([*record["answers"], *answers_of_form(world.client)])
    (folder / "exports").mkdir()
    record["printed"] = printed(project)
    record["exports"] = exports(project, folder / "exports")
    record["folders"] = folders(folder / "files")
    with Store(folder / "empty") as store:
        record["raters"] = raters(store)
    record["database"] = [f"highest migration {max(schema.migration_files())}", *database(folder / "empty" / DATABASE)]
    return record


def write(record: Record) -> None:
    """Write the record beside this file."""
    for old in HERE.glob("*.txt"):
        old.unlink()
    for name, lines in record.items():
        (HERE / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def read() -> Record:
    """The record as it was last written."""
    return {path.stem: path.read_text(encoding="utf-8").splitlines() for path in sorted(HERE.glob("*.txt"))}


def differences(before: Record, now: Record) -> str:
    """What went missing (-) and what is new (+), by file; empty where nothing did."""
    parts = []
    for name in sorted({*before, *now}):
        old, new = set(before.get(name, ())), set(now.get(name, ()))
        lines = [*(f"- {line}" for line in sorted(old - new)), *(f"+ {line}" for line in sorted(new - old))]
        if lines:
            parts.append("\n".join((f"{name}.txt: {len(old - new)} missing, {len(new - old)} new", *lines)))
    return "\n".join(parts)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as place:
        results = surface(Path(place))
    print(differences(read(), results) or "the surface is as recorded")
    write(results)
    sys.exit(0)
