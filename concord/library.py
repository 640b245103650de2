"""A project as a Python library: its tables as DataFrames, agreement, imports, scoring and reports.

Every call opens the project and closes it again, so the app can be started at any time; while the app has the project open,
the same calls run inside it, as commands do. Relative paths start at the working folder.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pandas as pd

from agreement import Options
from agreement.meta.alternative_annotator import EPSILON
from agreement.meta.estimates import EstimateOptions, Method
from agreement.meta.labelled_sample import Target
from agreement.meta.units import Finding
from concord import agreement, exporting, suite_metrics
from concord.common import forwarding
from concord.common.context import Context, run_guarded
from concord.common.estimate_json import finding_json
from concord.meta import estimates, findings, planning
from concord.meta.planning import PlanRequest
from data.export.datasets import IMAGES
from data.export.rows import JUDGEMENT_COLUMNS, RATING_COLUMNS
from data.store import library
from data.store.analysis import exports
from data.store.core.selection import Selection
from data.store.core.store import Store, StoreBusy, StoreError, refuse_missing
from data.validation import did_you_mean
from scorers.models.devices import default_device

Filter = str | Sequence[str]
"""One value of a filter, or several of which any may hold."""
Made = Mapping[str, pd.DataFrame | Sequence[Mapping[str, Any]]]

_APP: Final = Path(__file__).resolve().parents[1] / "app.py"
_FILTERS: Final = tuple(field.name for field in fields(Selection))
_IMAGE: Final = ["path", "sha256"]


class ProjectError(Exception):
    """A call cannot be done; the message is the line that the command line prints."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of a selection: the sections of ``agreement --format json``, whose keys are the columns.

    Attributes:
        among_people: people with each other, one row per statistic, generator and task.
        raters: each scorer with people; with ``ceiling`` people's own agreement and a verdict beside it.
        matrix: any two raters.
        by_certainty: scorers with people by how far people agree; empty unless asked for.
        suite_metrics: the metrics that a suite's own paper defines, of each scorer and of people.
    """

    among_people: pd.DataFrame
    raters: pd.DataFrame
    matrix: pd.DataFrame
    by_certainty: pd.DataFrame
    suite_metrics: pd.DataFrame


class Project:
    """A project: a folder with a database, images' places and runs.

    Filters (``**selection``) are those of the command line: ``suite``, ``task``, ``generator``, ``aspect``, ``target``,
    ``rater``, ``campaign``, ``certainty``, ``since``, ``until`` and ``tag``, each a text or several. A table has one row per
    thing; missing values are NA, and JSON is Python objects.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return f"concord.open({str(self.folder)!r})"

    # tables

    def prompts(self, suite: str | None = None) -> pd.DataFrame:
        """Prompts: ``prompt_id``, ``suite``, ``task``, ``text``, ``spec`` (a dict; empty: none)."""
        return self._table("prompts", {}, suite=suite)

    def images(self, **selection: Filter) -> pd.DataFrame:
        """Images: ``image_id``, ``prompt``, ``suite``, ``task``, ``generator``, ``index``, ``prompt_text``, ``prompt_spec``,
        ``sha256``, ``width``, ``height`` (pixels) and ``path`` (below the project's folder, or absolute)."""
        return self._table("images", selection)

    def ratings(self, **selection: Filter) -> pd.DataFrame:
        """The ratings that statistics use, with the columns of ``export ratings`` and the image's ``path`` and ``sha256``."""
        return self._table("ratings", selection)

    def judgements(self, **selection: Filter) -> pd.DataFrame:
        """All judgements, with the columns of ``export judgements``; ``excluded`` says why one does not count."""
        return self._table("judgements", selection)

    def scores(self, **selection: Filter) -> pd.DataFrame:
        """Scorers' numbers: ``suite``, ``prompt``, ``task``, ``generator``, ``item``, ``rater``, ``value``, ``path`` and
        ``sha256``."""
        return self._table("scores", selection)

    def agreement(
        self,
        *,
        statistics: Sequence[str] | None = None,
        intervals: bool = True,
        ceiling: bool = True,
        by_target: bool = False,
        by_certainty: bool = False,
        margin: float | None = None,
        seed: int = 0,
        **selection: Filter,
    ) -> Agreement:
        """Agreement of a selection, as ``agreement`` computes it.

        Args:
            statistics: names of statistics; None for all that apply.
            intervals: whether to compute 95 % intervals.
            ceiling: whether to put people's own agreement, and a verdict, beside each scorer.
            by_target: one row per object, relation or question.
            by_certainty: also compare scorers with people by how far people agree.
            margin: equivalence margin; None: .05 for shares, .1 for coefficients.
            seed: random seed of cross-validation folds and permutations.
            selection: filters.

        Raises:
            ProjectError: there is no such filter or value.
        """
        options = Options(
            statistics=tuple(statistics) if statistics is not None else None,
            by_target=by_target,
            by_certainty=by_certainty,
            intervals=intervals,
            ceiling=ceiling,
            margin=margin,
            seed=seed,
        )
        sections = self._tables("agreement", selection, asdict(options))
        return Agreement(*(sections.get(field.name, pd.DataFrame()) for field in fields(Agreement)))

    def estimate(
        self,
        *,
        scorer: Filter = (),
        method: Method = "ppi",
        about: Target = "prompts",
        against: str | None = None,
        labelled_at_random: bool = False,
        label_sample: int | None = None,
        seed: int = 0,
        **selection: Filter,
    ) -> pd.DataFrame:
        """How good is each generator by people's standard, from few labels and many verdicts? The rows of ``estimate``.

        Args:
            scorer: only these scorers.
            method: ``ppi``, a prediction-powered mean, or ``corrected``, a rate corrected for the scorer's errors.
            about: ``prompts``, new ones of this kind, or ``these`` images (the command's ``--target``).
            against: a generator; each other one less this one is estimated, too.
            labelled_at_random: whether chance chose all images that have labels.
            label_sample: a trial: so many labelled images are drawn, and the other labels hidden.
            seed: random seed of the trial.
            selection: filters.

        Raises:
            ProjectError: there is no such filter or value.
        """
        options = EstimateOptions(method, about, labelled_at_random, label_sample, seed, against, tuple(_several(scorer)))
        return self._table("estimate", selection, **asdict(options))

    def plan(
        self,
        *,
        half_width: float | None = None,
        difference: float | None = None,
        statistics: Sequence[str] = ("mean",),
        images: Sequence[int] = (),
        ratings: Sequence[int] = (),
        persons: int | None = None,
        seed: int = 0,
        **selection: Filter,
    ) -> pd.DataFrame:
        """How many prompts a number needs to be sure, by images a prompt and ratings an image, as ``plan`` tells.

        Args:
            half_width: wanted half width of 95 % intervals; None: .05 of people's scale.
            difference: of two generators, to be found with power .8; None: .1 of the scale.
            statistics: ``mean`` (with the difference of two generators), or others of ``agreement``.
            images: images of a prompt by each generator; none: as many as there are.
            ratings: people's ratings of an image; none: 1, 2, 3 and 5.
            persons: people who share the work; None: as many as there are.
            seed: random seed of the draw that leaves fewer images and ratings.
            selection: filters.
        """
        request = PlanRequest(tuple(statistics), half_width, difference, tuple(images), tuple(ratings), persons, seed)
        return self._table("plan", selection, **asdict(request))

    def rater_effects(self, *, ratings: Sequence[int] = (1, 3, 5), **selection: Filter) -> pd.DataFrame:
        """Each person's severity, variance components, and the reliability of so many ratings, as ``rater-effects`` tells."""
        return self._table("rater_effects", selection, ratings=list(ratings))

    def rank(
        self,
        *,
        scorer: Filter = (),
        epsilon: float | None = None,
        intervals: bool = True,
        seed: int = 0,
        **selection: Filter,
    ) -> pd.DataFrame:
        """Does a scorer choose the better image of a prompt, and order the generators, as people do? The rows of ``rank``.

        Args:
            scorer: only these scorers, beside people.
            epsilon: scores that are at most so far apart are tied; None: what fits best on other prompts.
            intervals: whether to compute 95 % intervals.
            seed: random seed of cross-validation folds and resamples.
            selection: filters.

        Raises:
            ProjectError: there is no such filter or value.
        """
        return self._table("rank", selection, scorer=_several(scorer), epsilon=epsilon, intervals=intervals, seed=seed)

    def alt_test(
        self,
        *,
        scorer: Filter = (),
        epsilon: float = EPSILON,
        graded: Filter = (),
        intervals: bool = True,
        **selection: Filter,
    ) -> pd.DataFrame:
        """May a scorer take the place of a person? The rows of ``alt-test``; ``persons`` has each person's test.

        Args:
            scorer: only these scorers.
            epsilon: what a person costs more: .2 for experts, .15 for skilled people, .1 for a crowd.
            graded: scorers whose score is a grade from 0 to 10, which count as tenths of people's scale.
            intervals: whether to compute 95 % intervals.
            selection: filters.

        Raises:
            ProjectError: there is no such filter or value.
        """
        named = {"scorer": _several(scorer), "graded": _several(graded)}
        return self._table("alt_test", selection, **named, epsilon=epsilon, intervals=intervals)

    # what a project is filled with

    def add_prompts(self, file: str | Path, *, suite: str) -> str:
        """Import a prompt file, as ``import prompts`` does; returns what it says."""
        return self._run("import prompts", "concord.importing.prompts:import_prompts", file=str(file), suite=suite)

    def add_images(
        self, folder: str | Path, *, generator: str | None = None, layout: str = "csv", suite: str | None = None
    ) -> str:
        """Import a folder of images, as ``import images`` does; the files stay where they are."""
        return self._run(
            "import images",
            "concord.importing.images:import_images",
            directory=[str(folder)],
            layout=layout,
            generator=generator,
            suite=suite,
        )

    def add_ratings(
        self,
        table: pd.DataFrame,
        *,
        aspect: str,
        scale: str,
        suite: str,
        item: str = "item",
        rater: str = "rater",
        value: str = "value",
        prompt: str | None = None,
        generator: str | None = None,
        kind: str = "human",
        new_items: bool = False,
        missing: Sequence[str] = (),
        merge: Sequence[str] = (),
    ) -> str:
        """Import ratings, one row each, as ``import ratings`` does. Of a rater's ratings of an item the first counts.

        Args:
            table: the ratings.
            aspect: what was rated, e.g. ``correct`` or ``quality``.
            scale: ``nominal``, ``ordinal:1-5``, ``interval``, ... (docs/importing.md).
            suite: the suite of the items; where it has images, each item must match one.
            item: the column with the item's id, path, file name or hash.
            rater: the column with the rater.
            value: the column with the rating; None is no rating, and counted as left out.
            prompt: the column with the prompt, if there is one: intervals are computed over prompts.
            generator: the column with the model that made the image, if there is one.
            kind: ``human`` or ``scorer``.
            new_items: whether items that match no image become items without images.
            missing: further texts that are no rating.
            merge: what spellings of a label or a name are the same: ``case``, ``space``, ``number``, or ``none``.
        """
        named = {"item": item, "rater": rater, "value": value, "prompt": prompt, "generator": generator}
        for argument, column in named.items():
            if column and column not in table.columns:
                has = ", ".join(map(str, table.columns))
                raise ProjectError(f'the table has no column {column!r}; it has {has}. Name the one to read: {argument}="..."')
        cells = table[[name for name in named.values() if name]].astype({item: str, rater: str})
        if cells[value].dtype == object:
            cells[value] = cells[value].map(lambda cell: None if cell is None or cell != cell else str(cell))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "ratings.parquet")
            cells.to_parquet(path)
            try:
                return self._run(
                    "import ratings",
                    "concord.importing.ratings:import_ratings",
                    file=str(path),
                    aspect=aspect,
                    scale=scale,
                    suite=suite,
                    kind=kind,
                    wide=False,
                    new_items=new_items,
                    missing=list(missing),
                    merge=list(merge),
                    **named,
                )
            except ProjectError as error:
                # the file is of no interest to whoever has a table
                named_row = re.sub(
                    rf"{re.escape(str(path))}:(\d+):", lambda match: f"ratings of {suite}, row {match[1]}:", str(error)
                )
                raise ProjectError(named_row.replace(str(path), f"ratings of {suite}")) from None

    def add_scores(
        self, table: pd.DataFrame, *, rater: str, suite: str, item: str = "item", value: str = "value", aspect: str = "score"
    ) -> str:
        """Import a metric's numbers, one row per item, as the scorer ``rater``."""
        named = table[[item, value]].assign(rater=rater)
        return self.add_ratings(
            named, aspect=aspect, scale="interval", suite=suite, item=item, rater="rater", value=value, kind="scorer"
        )

    def score(
        self,
        scorer: str,
        *,
        profile: str | None = None,
        settings: Mapping[str, object] | None = None,
        device: str | None = None,
        limit: int | None = None,
        **selection: Filter,
    ) -> str:
        """Score the images that a scorer has not scored yet, as ``score`` does; run it again to continue after a stop.

        ``device``: as torch names it (``cpu``, ``cuda:1``); None for the GPU if there is one.
        """
        return self._run(
            "score",
            "concord.runs.score:run",
            scorer=scorer,
            profile=profile,
            overrides=[f"{name}={value}" for name, value in (settings or {}).items()],
            device=device or default_device(),
            batch_size=None,
            limit=limit,
            selection=_selection(selection),
        )

    def undo(self, import_id: int) -> str:
        """Undo an import, as ``import undo`` does."""
        return self._run("import undo", "concord.importing:undo_import", import_id=import_id)

    def report(self, output: str | Path, **selection: Filter) -> str:
        """Write a report, as ``export report`` does; the format follows the file's name (html, pdf, md, tex, zip).

        Reports belong to the interface, so the command line writes it, in a process of its own.
        """
        chosen = [word for name, values in _selection(selection).items() for value in values for word in (f"--{name}", value)]
        words = [sys.executable, str(_APP), "export", "report", "--project", str(self.folder), "-o", str(output), *chosen]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ProjectError(done.stderr.strip().rpartition("\n")[2])
        return done.stdout.strip()

    # how a call is done

    def _table(self, name: str, selection: Mapping[str, Filter], **arguments: Any) -> pd.DataFrame:
        return self._tables(name, selection, arguments)[name]

    def _tables(self, call: str, selection: Mapping[str, Filter], arguments: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        chosen = _selection(selection)
        with tempfile.TemporaryDirectory() as folder:
            called = {"call": call, "selection": chosen, "arguments": arguments, "folder": folder}
            self._run("library", "concord.library:write_tables", **called)
            return {path.stem: _read(path) for path in Path(folder).iterdir()}

    def _run(self, command: str, function: str, **parameters: Any) -> str:
        """Run a command here, or inside the app that has the project open; returns its output.

        Raises:
            ProjectError: it failed.
        """
        out, err = io.StringIO(), _Messages()
        try:
            if (app := forwarding.living(self.folder)) is not None:
                status = forwarding.send(app, command, parameters, out, err)
            else:
                status = self._run_alone(command, function, parameters, out, err)
        except StoreBusy as busy:
            app = forwarding.running(self.folder)
            if app is None:
                raise ProjectError(str(busy)) from busy
            status = forwarding.send(app, command, parameters, out, err)
        except StoreError as error:
            raise ProjectError(str(error)) from error
        if status:
            raise ProjectError(err.last.strip())
        err.show()
        return out.getvalue().strip()

    def _run_alone(self, command: str, function: str, parameters: Mapping[str, Any], out: io.StringIO, err: io.StringIO) -> int:
        """Open the project and run a command in it; return its exit status."""
        with Store(self.folder) as store:
            for note in store.notes:
                print(note, file=sys.stderr)
            module, name = function.split(":")
            work: Callable[..., None] = getattr(import_module(module), name)
            context = Context(store, Path.cwd(), out, err)
            return run_guarded(context, command, lambda: work(context, **parameters))


class _Messages(io.StringIO):
    """A command's messages, such as its progress: shown on ``sys.stderr``, but for the last, which may say why it failed."""

    last = ""

    def write(self, text: str) -> int:
        *lines, rest = (self.last + text).split("\n")
        if rest == "" and lines:
            rest = lines.pop() + "\n"
        for line in lines:
            print(line, file=sys.stderr)
        self.last = rest
        return len(text)

    def show(self) -> None:
        print(self.last, end="", file=sys.stderr, flush=True)


def _several(values: Filter) -> list[str]:
    return [values] if isinstance(values, str) else list(values)


def _selection(filters: Mapping[str, Filter]) -> dict[str, list[str]]:
    """The filters as commands take them.

    Raises:
        ProjectError: there is no such filter.
    """
    for name in filters:
        if name not in _FILTERS:
            raise ProjectError(f"there is no filter {name!r}; {did_you_mean(name, _FILTERS)}")
    return {name: _several(values) for name, values in filters.items()}


def write_tables(
    context: Context, call: str, selection: Mapping[str, Sequence[str]], arguments: Mapping[str, Any], folder: str
) -> None:
    """Write the tables of a call of ``Project`` as Parquet files into a folder, wherever the project is open."""
    chosen = agreement.selected(context, selection)
    named = {name: tuple(value) if isinstance(value, list) else value for name, value in arguments.items()}
    for name, rows in _CALLS[call](context.store, chosen, **named).items():
        _write(rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows), Path(folder, f"{name}.parquet"))


def _ratings(store: Store, chosen: Selection) -> Made:
    parts = exporting.judgement_parts(store, chosen)
    frame = _joined((exporting.counted_ratings(judgements, scales) for judgements, scales in parts), [*RATING_COLUMNS])
    return {"ratings": _with_files(store, frame)}


def _judgements(store: Store, chosen: Selection) -> dict[str, pd.DataFrame]:
    rows = _joined((written for _, written in exporting.judgement_rows(store, chosen)), [*JUDGEMENT_COLUMNS])
    return {"judgements": _with_files(store, rows[[*JUDGEMENT_COLUMNS]])}


def _scores(store: Store, chosen: Selection) -> Made:
    frame = _judgements(store, chosen)["judgements"]
    scored = frame[(frame.kind == "scorer") & (frame.aspect == "score") & frame.value.notna()]
    columns = ["suite", "prompt", "task", "generator", "item", "rater", "value", *_IMAGE]
    return {"scores": scored[columns].reset_index(drop=True)}


def _with_files(store: Store, table: pd.DataFrame) -> pd.DataFrame:
    """The table with the file of each item that is an image."""
    files = _joined(exports.image_batches(store, Selection()), ["image_id", *_IMAGE])
    return table.join(files.set_index("image_id")[_IMAGE], on="item")


def _joined(parts: Iterable[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """All parts in one table; an empty table where there are none."""
    frames = list(parts)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=[*columns])


def _findings(name: str, rows: Sequence[Finding], scorer: Sequence[str] = ()) -> Made:
    return {name: [finding_json(row) for row in findings.of_scorers(rows, scorer)]}


def _agreement(store: Store, chosen: Selection, options: Options) -> Made:
    general, of_suites = suite_metrics.split_statistics(options.statistics)
    rows = agreement.compute(store, chosen, replace(options, statistics=general))
    return replace(rows, suite_metrics=suite_metrics.suite_metrics(store, chosen, options, of_suites)).to_json()


def _plan(store: Store, chosen: Selection, **request: Any) -> Made:
    wanted = PlanRequest(**request)
    agreement.known_statistics(wanted.statistics)
    return _findings("plan", planning.plan(store, chosen, wanted))


_CALLS: Final[Mapping[str, Callable[..., Made]]] = {
    "prompts": lambda store, _, suite: {
        "prompts": pd.DataFrame(
            [asdict(prompt) for prompt in library.prompts_of_suite(store, suite)],
            columns=["prompt_id", "suite", "task", "text", "spec"],
        )
    },
    "images": lambda store, chosen: {
        "images": _joined(exports.image_batches(store, chosen), [*IMAGES, "path"]).assign(
            prompt_spec=lambda frame: frame.prompt_spec.map(lambda text: json.loads(text or "{}"))
        )
    },
    "ratings": _ratings,
    "judgements": _judgements,
    "scores": _scores,
    "agreement": lambda store, chosen, **options: _agreement(store, chosen, Options(**options)),
    "estimate": lambda store, chosen, **options: _findings(
        "estimate", estimates.estimate(store, chosen, EstimateOptions(**options))
    ),
    "plan": _plan,
    "rater_effects": lambda store, chosen, ratings: _findings("rater_effects", findings.effects(store, chosen, ratings)),
    "rank": lambda store, chosen, scorer, epsilon, **options: _findings(
        "rank", findings.rank(store, chosen, Options(**options), epsilon), scorer
    ),
    "alt_test": lambda store, chosen, scorer, epsilon, graded, **options: _findings(
        "alt_test", findings.alt_test(store, chosen, Options(**options), epsilon, graded), scorer
    ),
}
"""What each table or call is made of, as tables or as rows."""


def _write(table: pd.DataFrame, path: Path) -> None:
    """A table as Parquet; columns of objects are written as JSON, and named in its metadata."""
    packed = [str(name) for name in table if table[name].map(lambda cell: isinstance(cell, (dict, list, tuple))).any()]
    flat = table.assign(**{name: [json.dumps(cell) for cell in table[name]] for name in packed})
    flat.attrs = {"json": packed}
    flat.reset_index(drop=True).to_parquet(path)


def _read(path: Path) -> pd.DataFrame:
    table = pd.read_parquet(path)
    for name in table.attrs.pop("json", []):
        table[name] = table[name].map(json.loads)
    return table


def open_project(folder: str | Path) -> Project:
    """A project by its folder, which must exist.

    Raises:
        ProjectError: there is no such folder, or it was a project's and its database is gone.
    """
    path = Path(folder).expanduser().resolve()
    if not path.is_dir():
        raise ProjectError(f"{folder}: there is no such folder; concord.create makes a new project")
    try:
        refuse_missing(path)
    except StoreError as error:
        if forwarding.living(path) is None:
            raise ProjectError(str(error)) from error
    return Project(path)


def create_project(folder: str | Path) -> Project:
    """A new, empty project; one that exists already is opened."""
    path = Path(folder).expanduser().resolve()
    try:
        with Store(path):
            return Project(path)
    except StoreBusy:
        return Project(path)
    except StoreError as error:
        raise ProjectError(str(error)) from error
