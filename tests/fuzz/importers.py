"""Every command that reads files into a project: all of it or nothing, and ``import undo`` takes all of it back."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.testclient import TestClient

from concord import commands
from concord.common import forwarding
from concord.common.context import CommandError, Context
from concord.common.forwarding import COMMANDS
from data.store import imports
from data.store.campaigns import management
from data.store.core.store import Store
from tests.fuzz import seeds, targets
from tests.fuzz.mutation import Files
from tests.fuzz.oracle import Unexpected, check_message
from tests.fuzz.targets import Target
from tests.ui import small_project
from tests.ui.http_visitor import TOKEN

Parameters = Callable[[Path], Mapping[str, Any]]
_OWN: Final = ("meta", "imports", "browse", "browse_raters", "stale")
"""Tables that remember, or are made of others."""
_LOOK_EVERY: Final = 6
_LONG: Final = 1500
"""Characters of a line on the terminal: several problems of one file stand there."""


@dataclass(frozen=True, slots=True)
class Importer:
    """A command with the files that it reads, and its parameters for those that lie in a folder."""

    name: str
    command: str
    files: tuple[Files, ...]
    parameters: Parameters


class Bench:
    """A project with four images of two prompts, to which imports are done and undone."""

    def __init__(self, store: Store, client: TestClient | None) -> None:
        self.store = store
        self._client = client
        self._clean = self.tables()
        self.taken = 0

    def tables(self) -> dict[str, Any]:
        """Of every table how many rows it has, and a sum over their contents that knows no order."""
        with self.store.read() as cursor:
            names = [row[0] for row in cursor.execute("select table_name from duckdb_tables()").fetchall()]
            each = " union all ".join(
                f"select '{name}', count(*), bit_xor(hash(t)) from {name} t" for name in sorted(names) if name not in _OWN
            )
            return {name: (n, total) for name, n, total in cursor.execute(each).fetchall()}

    def run(self, importer: Importer, folder: Path) -> None:
        """Import a case's files, look at what is there then, and take it back.

        Raises:
            Unexpected: something was left behind, or cannot be shown.
        """
        before = {row.import_id for row in imports.listed(self.store)}
        try:
            self._do(importer.command, folder, importer.parameters(folder))
        finally:
            new = [row.import_id for row in imports.listed(self.store) if row.import_id not in before]
            self.taken += bool(new)
            try:
                if new and self.taken % _LOOK_EVERY == 0:
                    self._look(folder)
            except Exception as error:
                raise Unexpected(f"taken in, but then: {type(error).__name__}: {error}") from error
            finally:
                self._forget(new)

    def _do(self, command: str, folder: Path, parameters: Mapping[str, Any]) -> str:
        out, err = io.StringIO(), io.StringIO()
        try:
            forwarding.call(COMMANDS[command], Context(self.store, folder, out, err), parameters)
        finally:
            for line in err.getvalue().split("\n")[:-1]:
                check_message(line, _LONG)
        return out.getvalue()

    def _forget(self, new: list[int]) -> None:
        for import_id in reversed(new):
            try:
                imports.undo(self.store, import_id)
            except Exception as error:
                raise Unexpected(f"taken in, but not back: {error}") from error
        for campaign in management.listed(self.store):
            if campaign.campaign_id == "fuzzed":
                management.remove(self.store, campaign.campaign_id)
        now = self.tables()
        if now != self._clean:
            other = {name: (self._clean.get(name), now.get(name)) for name in now if now[name] != self._clean.get(name)}
            # told once: the next case starts from here
            self._clean = now
            raise Unexpected(f"{'undone' if new else 'refused'}, but left behind (rows, sum of contents): {other}")

    def _look(self, folder: Path) -> None:
        """Whatever came in can be judged again, exported and shown."""
        judged = self.tables()["judgements"]
        self._do("rebuild", folder, {})
        if self.tables()["judgements"] != judged:
            raise Unexpected("rebuild gives other judgements than the import")
        for label in ("judgements", "ratings", "annotations"):
            named = {"named": "pseudonyms"} if label == "annotations" else {}
            try:
                self._do(
                    f"export {label}", folder, {"selection": {}, "form": "csv", "output": str(folder / "out.csv"), **named}
                )
            except CommandError as error:
                check_message(str(error))
        if self._client is not None:
            self._show(self._client)

    def _show(self, client: TestClient) -> None:
        requested = ["/api/next", "/api/studio/facets", "/api/studio/strip", "/api/studio/rows", "/api/studio/items"]
        listed = client.get(requested[-1])
        if listed.status_code == 200:
            ids = [row["item_id"] for row in listed.json()["items"]]
            requested += [
                f"/api/studio/{label}?id={entry}" for entry in ids[:2] + ids[-1:] for label in ("item", "task", "evidence")
            ]
        for address in requested:
            answer = client.get(address)
            if answer.status_code >= 500:
                raise Unexpected(f"GET {address}: {answer.status_code} {answer.text[:200]}")


@contextmanager
def bench(folder: Path, *, app: bool = False) -> Iterator[Bench]:
    """Such a project; with ``app`` whatever comes in is shown in the studio, too."""
    from data.records import Prompt
    from data.store.imports import ImportBundle
    from ui.web.server import create_app

    project = folder / "project"
    pictures = small_project.geneval_folder(folder / "sdv2")
    with Store(project) as store:

        def do(name: str, **parameters: Any) -> None:
            status = commands.run(Context(store, folder, io.StringIO(), io.StringIO()), name, parameters)
            assert status == 0, name

        do("import images", directory=[str(pictures)], request={"layout": "geneval", "generator": "sdv2"})
        do("import questions", file=None, from_specs=True, suite=None)
        imports.apply(
            store, [ImportBundle("prompts", "fuzz", "0", prompts=[Prompt("s/00009", "s", "two cats", "counting", {})])]
        )
        client = None
        if app:
            client = TestClient(
                create_app(store, TOKEN), "http://127.0.0.1", client=("127.0.0.1", 1), raise_server_exceptions=False
            )
            client.post("/api/name", json={"name": "fuzz"})
        yield Bench(store, client)


def targets_of(made: Bench) -> tuple[Target, ...]:
    """The importers as targets that work on this bench."""
    return tuple(
        Target(importer.name, importer.files, partial(made.run, importer), (CommandError, ValueError)) for importer in IMPORTERS
    )


def _file(name: str, **more: Any) -> Parameters:
    return lambda folder: {"file": str(folder / name), **more}


def _run_of(scorer: str, settings: Mapping[str, Any], *payloads: Mapping[str, Any]) -> Files:
    """A finished run of a scorer over the bench's images, made elsewhere."""
    from hashlib import sha256
    from tempfile import TemporaryDirectory

    from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem
    from scorers import registry

    boxes = (Detection("cow", 0.9, (1, 2, 30, 40), seeds.mask(), (0.1,) * 10), Detection("car", 0.2, (1, 2, 3, 4)))
    with TemporaryDirectory() as folder:
        pictures = small_project.geneval_folder(Path(folder) / "sdv2")
        ids = [f"geneval/00000/sdv2/{n}" for n in range(2)]
        files = [pictures / "00000" / "samples" / f"{n:04d}.png" for n in range(2)]
        work = [
            WorkItem(one, str(file), sha256(file.read_bytes()).hexdigest(), "a photo of a cow", small_project.METADATA[0])
            for one, file in zip(ids, files, strict=True)
        ]
        run_folder, chosen = RunFolder(Path(folder) / "r"), registry.get(scorer)
        profile = next(iter(chosen.profiles))
        made = {**chosen.profiles[profile], **settings}
        run_folder.create(Run("r", scorer, chosen.version, profile, made, part_size=1), work)
        for n, one in enumerate(ids):
            run_folder.write_part(
                n, [Observation(one, payloads[n % len(payloads)] if payloads else {}, () if payloads else boxes)]
            )
        names = ("run.json", "manifest.jsonl", "parts/00000.parquet", "parts/00001.parquet")
        return {name: (run_folder.path / name).read_bytes() for name in names}


def _answered(*chosen: str) -> Mapping[str, Any]:
    from data.formats.official_results import read_results
    from scorers.questions.rules import AnsweredQuestion, payload_of

    with _written("r.jsonl", seeds.TIFA_LINES) as path:
        questions = [answer.question for answer in next(read_results(path)).answers]
    return payload_of(1, [AnsweredQuestion(question, word, free="x") for question, word in zip(questions, chosen, strict=True)])


@contextmanager
def _written(name: str, content: bytes) -> Iterator[Path]:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        yield path


_COLUMNS: Final = {"item": "image", "rater": "who", "value": "value", "prompt": "prompt", "generator": "gen", "task": "task"}
_PAIR: Final[Files] = {"a.png": seeds.picture("PNG"), "b.png": seeds.picture("PNG")}

IMPORTERS: Final[tuple[Importer, ...]] = (
    Importer("import prompts", "import prompts", ({"p.jsonl": seeds.PROMPTS},), _file("p.jsonl", suite="mine")),
    Importer("import questions", "import questions", ({"q.json": seeds.document(seeds.QUESTIONS)},),
             _file("q.json", from_specs=False, suite=None)),
    Importer("import images", "import images", (targets._GENEVAL_FOLDER,),
             lambda folder: {"directory": [str(folder)], "request": {"layout": "geneval", "generator": "g"}}),
    Importer("import images: csv", "import images", (targets._CSV_FOLDER,),
             lambda folder: {"directory": [str(folder)], "request": {"layout": "csv", "generator": "g", "suite": "geneval"}}),
    Importer("import ratings", "import ratings", ({"r.csv": seeds.RATINGS},),
             _file("r.csv", request={**_COLUMNS, "aspect": "quality", "scale": "ordinal:1-5"})),
    Importer("import ratings: label studio", "import ratings", ({"l.json": seeds.LABEL_STUDIO},),
             _file("l.json", request={"item": "image", "value": "stars", "aspect": "stars", "scale": "ordinal:0.5-5:0.5",
                                      "suite": "geneval", "kind": "human", "new_items": True,
                                      "merge": ["case", "space", "number"]})),
    Importer("import ratings: wide", "import ratings", ({"r.csv": b"image,ann,ben\n00000/samples/0000.png,y,1.0\nx,NA,no\n"},),
             _file("r.csv", request={"item": "image", "aspect": "correct", "scale": "nominal", "suite": "geneval",
                                     "kind": "scorer", "wide": True, "new_items": True})),
    Importer("import ratings: exported", "import ratings", ({"e.csv": seeds.EXPORTED}, {"e.csv": seeds.table(seeds.EXPORTED)}),
             _file("e.csv", request={})),
    Importer("import exported: answers", "import exported", ({"a.jsonl": seeds.ANSWERS_JSONL},),
             lambda folder: {"files": [str(folder / "a.jsonl")]}),
    Importer("import exported: judgements", "import exported", ({"j.csv": seeds.JUDGEMENTS},),
             lambda folder: {"files": [str(folder / "j.csv")]}),
    Importer("import results geneval", "import results geneval", ({"r.jsonl": seeds.RESULTS},),
             _file("r.jsonl", generator=None, suite="geneval", rater="geneval-official")),
    Importer("import results tifa", "import results tifa", ({"r.json": seeds.TIFA_RESULTS}, {"r.json": seeds.TIFA_LINES}),
             _file("r.json", generator="g", suite="tifa", rater="t")),
    Importer("import study geneval", "import study geneval",
             ({"m.jsonl": seeds.lines(*small_project.METADATA), "a.csv": seeds.GENEVAL_STUDY},),
             lambda folder: {"metadata": str(folder / "m.jsonl"), "sources": [f"sd={folder / 'a.csv'}"]}),
    Importer("import study tifa", "import study tifa", ({"t.json": seeds.TIFA_STUDY},), _file("t.json")),
    Importer("import cooccurrence", "import cooccurrence", ({"c.json": seeds.COCO},), _file("c.json", called=None)),
    Importer("import itm", "import itm", ({"m.jsonl": seeds.MATCHING, **_PAIR}, {"m.jsonl": seeds.ARO, **_PAIR}),
             lambda folder: {"request": {"file": str(folder / "m.jsonl")}}),
    Importer("import scores: geneval", "import scores", (_run_of("geneval", {}),), lambda folder: {"directory": str(folder)}),
    Importer("import scores: tifa", "import scores", (_run_of("tifa", {}, _answered("yes", "red"), _answered("no", "gray")),),
             lambda folder: {"directory": str(folder)}),
    Importer("campaigns create", "campaigns create",
             ({"c.yaml": seeds.CAMPAIGN + b"known_file: k.csv\n", "k.csv": seeds.KNOWN},
              {"c.yaml": b"suite: geneval\nquestionnaire_file: q.yaml\noverlap: 2\n", "q.yaml": seeds.QUESTIONNAIRE}),
             lambda folder: {"given": {"campaign_id": "fuzzed"}, "file": str(folder / "c.yaml"), "dry_run": False}),
)  # fmt: skip
