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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal

import pandas as pd

from agreement.meta.alternative_annotator import EPSILON
from agreement.meta.estimates import Method
from agreement.meta.labelled_sample import Target
from concord.agreement_request import AgreementRequest, By
from concord.common import forwarding
from concord.common.context import Context, run_guarded
from concord.importing.image_requests import ImageRequest, Layout
from concord.importing.rating_request import Merge, RatingRequest
from concord.meta.requests import MEAN, AltTestRequest, EstimateRequest, PlanRequest, RankRequest, RaterEffectsRequest
from concord.runs.requests import ScoreRequest
from data.selection import Selection
from data.store.core.store import Store, StoreBusy, StoreError, refuse_missing
from data.validation import did_you_mean
from scorers.models.devices import default_device

__all__ = ["Agreement", "Filter", "Project", "ProjectError", "create", "open"]

Filter = str | Sequence[str]
"""One value of a filter, or several of which any may hold."""


_APP: Final = Path(__file__).resolve().parents[1] / "app.py"
_FILTERS: Final = tuple(field.name for field in fields(Selection))


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
        """Agreement of a selection, as ``agreement`` computes it; ``by_target`` and ``by_certainty`` are its ``--by``.

        Raises:
            ProjectError: there is no such filter or value.
        """
        by: dict[By, bool] = {"target": by_target, "certainty": by_certainty}
        request = AgreementRequest(
            statistics=tuple(statistics or ()),
            intervals=intervals,
            ceiling=ceiling,
            by=tuple(each for each, wanted in by.items() if wanted),
            margin=margin,
            seed=seed,
        )
        sections = self._tables("agreement", selection, asdict(request))
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
        """How good is each generator by people's standard, from few labels and many verdicts? The rows of ``estimate``,
        whose ``--target`` is ``about``.

        Raises:
            ProjectError: there is no such filter or value.
        """
        request = EstimateRequest(
            scorer=tuple(_several(scorer)),
            method=method,
            target=about,
            against=against,
            labelled_at_random=labelled_at_random,
            label_sample=label_sample,
            seed=seed,
        )
        return self._table("estimate", selection, **asdict(request))

    def plan(
        self,
        *,
        half_width: float | None = None,
        difference: float | None = None,
        statistics: Sequence[str] = (MEAN,),
        images: Sequence[int] = (),
        ratings: Sequence[int] = (),
        persons: int | None = None,
        seed: int = 0,
        **selection: Filter,
    ) -> pd.DataFrame:
        """How many prompts a number needs to be sure, by images a prompt and ratings an image, as ``plan`` tells."""
        request = PlanRequest(
            half_width=half_width,
            difference=difference,
            statistics=tuple(statistics),
            images=tuple(images),
            ratings=tuple(ratings),
            persons=persons,
            seed=seed,
        )
        return self._table("plan", selection, **asdict(request))

    def rater_effects(self, *, ratings: Sequence[int] = (1, 3, 5), **selection: Filter) -> pd.DataFrame:
        """Each person's severity, variance components, and the reliability of so many ratings, as ``rater-effects`` tells."""
        return self._table("rater_effects", selection, **asdict(RaterEffectsRequest(ratings=tuple(ratings))))

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

        Raises:
            ProjectError: there is no such filter or value.
        """
        request = RankRequest(scorer=tuple(_several(scorer)), epsilon=epsilon, intervals=intervals, seed=seed)
        return self._table("rank", selection, **asdict(request))

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

        Raises:
            ProjectError: there is no such filter or value.
        """
        request = AltTestRequest(
            scorer=tuple(_several(scorer)), epsilon=epsilon, graded=tuple(_several(graded)), intervals=intervals
        )
        return self._table("alt_test", selection, **asdict(request))

    # what a project is filled with

    def add_prompts(self, file: str | Path, *, suite: str) -> str:
        """Import a prompt file, as ``import prompts`` does; returns what it says."""
        return self._run("import prompts", "concord.importing.prompts:import_prompts", file=str(file), suite=suite)

    def add_images(
        self, folder: str | Path, *, generator: str | None = None, layout: Layout = "csv", suite: str | None = None
    ) -> str:
        """Import a folder of images, as ``import images`` does; the files stay where they are."""
        return self._run(
            "import images",
            "concord.importing.images:import_images",
            directory=[str(folder)],
            request=asdict(ImageRequest(layout=layout, generator=generator, suite=suite)),
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
        kind: Literal["human", "scorer"] = "human",
        new_items: bool = False,
        missing: Sequence[str] = (),
        merge: Sequence[Merge] = (),
    ) -> str:
        """Import ratings, one row each, as ``import ratings`` does. Of a rater's ratings of an item the first counts.

        ``table`` has the ratings, whose cells are None where there is none.
        """
        named = {"item": item, "rater": rater, "value": value, "prompt": prompt, "generator": generator}
        for argument, column in named.items():
            if column and column not in table.columns:
                has = ", ".join(map(str, table.columns))
                raise ProjectError(f'the table has no column {column!r}; it has {has}. Name the one to read: {argument}="..."')
        cells = table[[name for name in named.values() if name]].astype({item: str, rater: str})
        if cells[value].dtype == object:
            cells[value] = cells[value].map(lambda cell: None if cell is None or cell != cell else str(cell))
        request = RatingRequest(
            item=item,
            rater=rater,
            value=value,
            prompt=prompt,
            generator=generator,
            aspect=aspect,
            scale=scale,
            suite=suite,
            kind=kind,
            wide=False,
            new_items=new_items,
            missing=tuple(missing),
            merge=tuple(merge),
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "ratings.parquet")
            cells.to_parquet(path)
            try:
                return self._run(
                    "import ratings",
                    "concord.importing.ratings:import_ratings",
                    file=str(path),
                    request=asdict(request),
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
        request = ScoreRequest(
            scorer=scorer,
            profile=profile,
            overrides=tuple(f"{name}={value}" for name, value in (settings or {}).items()),
            device=device or default_device(),
            limit=limit,
        )
        return self._run(
            "score",
            "concord.runs.score:run",
            request=asdict(request),
            selection=_selection(selection),
        )

    def undo(self, import_id: int) -> str:
        """Undo an import, as ``import undo`` does."""
        return self._run("import undo", "concord.importing.undo:undo_import", import_id=import_id)

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
            self._run("library", "concord.library_tables:write_tables", **called)
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
            context = Context(store, Path.cwd(), out, err)
            return run_guarded(context, command, lambda: forwarding.call(function, context, parameters))


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


def _read(path: Path) -> pd.DataFrame:
    table = pd.read_parquet(path)
    for name in table.attrs.pop("json", []):
        table[name] = table[name].map(json.loads)
    return table


def open(folder: str | Path) -> Project:
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


def create(folder: str | Path) -> Project:
    """A new, empty project; one that exists already is opened."""
    path = Path(folder).expanduser().resolve()
    try:
        with Store(path):
            return Project(path)
    except StoreBusy:
        return Project(path)
    except StoreError as error:
        raise ProjectError(str(error)) from error
