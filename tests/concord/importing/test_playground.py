"""The default project fills itself when it is first opened: once, whole, and never over somebody's own data."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agreement import Options
from agreement.preferences.votes import Contest
from annotation.simulated import VOTES
from concord import commands
from concord.common import next_steps
from concord.comparison import preferences
from concord.importing import playground
from concord.runs import remote_runs, run_session
from concord.scope import Scope, open_scope
from data.aspects import YES
from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem, pack_mask
from data.playground import sample
from data.playground.drawing import CARELESS
from data.playground.render import SIZE, render
from data.playground.scene import scene_facts
from data.prompts.prompt_files import write_prompts
from data.records import Prompt
from data.selection import SIMULATED, Selection
from data.spec import parse_spec
from data.store import imports
from data.store.browse import contents, grid
from data.store.browse.filters import ListingQuery
from data.store.browse.grid import ListingDisplay
from data.store.campaigns import management
from data.store.core.store import Store
from scorers import registry
from tests.ui import small_project
from tests.ui.http_visitor import TOKEN, World
from ui.pages.results.all_numbers import all_numbers
from ui.pages.results.notices import simulated_notice
from ui.pages.trust import TrustPage
from ui.shell.html import rendered
from ui.web.server import create_app

LATE = "playground-late"
PEOPLE = {f"simulated {name}" for name in ("Ada", "Ben", "Cleo", "Dan", "Eve")}
ASKED = sample.sample_prompts()[::4]
PICTURES = 2 * sample.PER_PROMPT * len(ASKED)
PAIRS = len(ASKED)
"""The two generators' first pictures of each prompt."""


def picture(path: Path, prompt: Prompt, index: int, generator: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = Image.fromarray(render(sample.careless_drawing(prompt, index).scene).image)
    # the two generators' files must differ
    (drawn if generator == CARELESS else drawn.rotate(2)).save(path, "WEBP")


def sight(scorer: str, prompt: Prompt, index: int, item_id: str) -> Observation:
    """What a scorer without errors would see."""
    drawing = sample.careless_drawing(prompt, index)
    if scorer == "clipscore":
        return Observation(item_id, {"cosine": 0.2 + 0.4 * drawing.correct + 0.001 * index, "tokens": 5, "read": 5})
    shown = render(drawing.scene)
    detections = [
        Detection(placed.kind, 0.95, (float(x0), float(y0), float(x1), float(y1)), pack_mask(mask))
        for placed, mask, (x0, y0, x1, y1) in zip(drawing.scene.objects, shown.masks, shown.boxes, strict=True)
    ]
    return Observation(item_id, {"width": SIZE, "height": SIZE}, tuple(detections))


def score(folder: Path, scorer: str) -> None:
    playground_sample = sample.read_sample(folder)
    requested = {prompt.prompt_id: prompt for prompt in playground_sample.prompts}
    work = [
        WorkItem(image.image_id, "unused", image.sha256 or "", requested[image.prompt_id].text, requested[image.prompt_id].spec)
        for image in playground_sample.images
    ]
    settings = {**registry.get(scorer).profiles["playground"], "weights": {}}
    run = RunFolder(folder / "runs" / f"{scorer}-playground")
    run.create(Run("made elsewhere", scorer, registry.get(scorer).version, "playground", settings, part_size=32), work)
    seen = [sight(scorer, requested[image.prompt_id], image.index, image.image_id) for image in playground_sample.images]
    for number, start in enumerate(range(0, len(seen), 32)):
        run.write_part(number, seen[start : start + 32])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample of eleven prompts, two generators and both scorers."""
    folder = tmp_path_factory.mktemp("sample")
    write_prompts(ASKED, folder / "prompts.jsonl")
    for prompt in ASKED:
        for generator in (LATE, CARELESS):
            for index in range(sample.PER_PROMPT):
                picture(folder / sample.image_path(prompt.prompt_id, generator, index), prompt, index, generator)
    for scorer in ("clipscore", "geneval"):
        score(folder, scorer)
    return folder


@pytest.fixture
def default(tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the default project is in this test; it is not there yet."""
    monkeypatch.setattr(sample, "FOLDER", small)
    monkeypatch.setattr(next_steps, "DEFAULT_PROJECT", tmp_path / "projects" / "playground")
    return next_steps.DEFAULT_PROJECT


@pytest.fixture(scope="module")
def template(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project filled from the small sample."""
    folder = tmp_path_factory.mktemp("filled") / "project"
    with Store(folder) as store:
        playground.fill_missing(store, sample.read_sample(small), StringIO())
    return folder


@pytest.fixture
def filled(default: Path, template: Path) -> Path:
    """The default project, filled."""
    return shutil.copytree(template, default)


def content(project: Path) -> dict[str, list[Any]]:
    """All that a project holds, in no order but with nothing that differs between two fillings."""
    requested = {
        "prompts": "select prompt_id, text from prompts",
        "images": "select image_id, path, sha256 from images",
        "items": "select item_id, task, generator from items",
        "raters": "select rater_id, kind, simulated from raters",
        "scales": "select suite, aspect, scale from scales",
        "answers": "select annotation_id, rater_id, item_id, answers from annotations",
        "evidence": "select item_id, rater_id, payload from evidence",
        "detections": "select image_id, rank, label, score, x0, mask_ref from detections",
        "judgements": "select item_id, rater_id, aspect, target, label, value, reason, rule_version from judgements",
        "runs": "select rater_id, state, n_items from runs",
    }
    with Store(project) as store, store.read() as cursor:
        return {name: sorted(cursor.execute(sql).fetchall(), key=repr) for name, sql in requested.items()}


def opened(project: Path) -> str:
    """Open the project as every command does; what it said."""
    return small_project.done(project, "import", "undo")


def test_the_first_command_fills_the_default_project(default: Path) -> None:
    ran = small_project.concord(default, "agreement", "--format", "json", "--no-intervals", "--statistic", "mean")
    assert ran.status == 0
    assert ran.out.startswith("{")
    assert ran.err.startswith("The first start: the playground is being filled")
    with Store(default) as store:
        totals = contents.totals(store)
    assert totals.prompts == len(ASKED)
    assert totals.images == PICTURES
    assert totals.items == PICTURES + PAIRS
    assert (totals.scorers, totals.annotations, totals.people) == (2, 0, 0)
    assert totals.simulated > 3 * PICTURES / 2
    results = content(default)
    assert {rater[0] for rater in results["raters"] if rater[2]} == PEOPLE
    assert {(rater, state) for rater, state, _ in results["runs"]} == {
        ("clipscore-playground", "done"),
        ("geneval-playground", "done"),
    }
    assert len(results["evidence"]) == 2 * PICTURES
    assert len(list(default.glob("runs/*/parts/*.parquet"))) == 2 * -(-PICTURES // 32)


def test_simulated_people_judge_the_careless_renderer_alone(filled: Path) -> None:
    judged = {item.split("/")[2] for _, _, item, _ in content(filled)["answers"] if "/pair/" not in item}
    assert judged == {CARELESS}


def test_simulated_people_vote_on_pairs_as_a_campaign_would_show_them(filled: Path) -> None:
    with Store(filled) as store:
        (poll,) = preferences.rows(store, Selection(), Options(intervals=False)).polls
        (people, *scorers) = poll.voters
        assert (people.rater, len(people.votes)) == (SIMULATED, VOTES * PAIRS)
        assert {vote.contest for vote in people.votes} == {Contest(LATE, CARELESS)}
        # a campaign about the same images asks about the same pairs
        possible = {pair.item_id for pair in management.possible_pairs(store, Selection(), LATE, CARELESS)}
        assert {vote.pair for vote in people.votes} < possible
        assert all(len(voter.votes) == PAIRS for voter in scorers)
        assert len(scorers) == 2
        # they vote by what the pictures show: the careless renderer's by its truth, the others by looking at them
        truth = {
            management.pair_id(prompt.prompt_id, *(f"{prompt.prompt_id}/{name}/0" for name in (LATE, CARELESS))): (
                sample.is_faithful(prompt, LATE),
                sample.is_faithful(prompt, CARELESS),
            )
            for prompt in ASKED
        }
        right = {(True, True): "both", (False, False): "none", (True, False): LATE, (False, True): CARELESS}
        agreed = [vote.chose == right[truth[vote.pair]] for vote in people.votes]
        assert sum(agreed) > 0.6 * len(agreed)
        # who removes the simulated people removes their pairs
        playground.remove_simulated(store)
        assert contents.totals(store).items == PICTURES
        assert preferences.rows(store, Selection()).polls == ()


def test_scorers_judge_by_the_rules_that_are_here(filled: Path) -> None:
    truth = {
        f"{prompt.prompt_id}/{CARELESS}/{k}": scene_facts(parse_spec(prompt.spec), sample.careless_drawing(prompt, k).scene)[
            -1
        ].value
        for prompt in ASKED
        if prompt.task == "single_object"
        for k in range(sample.PER_PROMPT)
    }
    answers = {
        item: label == YES
        for item, rater, aspect, _, label, *_ in content(filled)["judgements"]
        if (rater, aspect) == ("geneval-playground", "correct") and item in truth
    }
    assert answers == truth


def test_nothing_is_done_twice(default: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(default)
    before = content(default)
    listed = opened(default)
    assert listed.count("\n") == 7

    def never(*_: object) -> None:
        raise AssertionError("a filled project was filled again")

    monkeypatch.setattr(sample, "read_sample", never)
    assert small_project.concord(default, "import", "undo").err == ""
    assert content(default) == before


def test_a_project_that_was_named_begins_empty(default: Path, tmp_path: Path) -> None:
    ran = small_project.concord(tmp_path / "mine", "agreement", "--format", "json")
    assert (ran.status, ran.err) == (0, "")
    assert not default.exists()
    with Store(tmp_path / "mine") as store:
        assert contents.totals(store).nothing


def test_a_project_with_data_of_ones_own_is_never_filled(default: Path, tmp_path: Path) -> None:
    images = small_project.geneval_folder(tmp_path / "made")
    with pytest.MonkeyPatch.context() as elsewhere:
        elsewhere.setattr(next_steps, "DEFAULT_PROJECT", tmp_path / "elsewhere")
        small_project.done(default, "import", "images", images, "--layout", "geneval", "--generator", "mine")
    before = content(default)
    assert small_project.concord(default, "import", "undo").err == ""
    assert content(default) == before
    # nor when it has been emptied by its owner
    small_project.done(default, "import", "undo", 1)
    assert small_project.concord(default, "import", "undo").err == ""
    assert content(default)["prompts"] == []


class Stop(BaseException):
    """The first start is cut off here."""


def nth(function: Callable[..., Any], n: int) -> Callable[..., Any]:
    """The function, whose n-th call does not come to pass."""
    calls = 0

    def called(*values: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == n:
            raise Stop
        return function(*values, **named)

    return called


CUTS = [
    (playground, "_copy", 30),
    (imports, "apply", 1),
    (imports, "apply", 2),
    (remote_runs, "import_scores", 1),
    (run_session, "take_in", 1),
    (run_session, "take_in", 2),
    (remote_runs, "import_scores", 2),
    (run_session, "take_in", 5),
]


@pytest.mark.parametrize(
    ("where", "what", "n"), [CUTS[2], *(pytest.param(*cut, marks=pytest.mark.slow) for cut in CUTS if cut != CUTS[2])]
)
def test_a_first_start_that_was_cut_off_is_finished(
    default: Path, template: Path, monkeypatch: pytest.MonkeyPatch, where: Any, what: str, n: int
) -> None:
    with monkeypatch.context() as cut, Store(default) as store:
        cut.setattr(where, what, nth(getattr(where, what), n))
        with pytest.raises(Stop):
            commands.fill_default_project(store)
    partly = content(default)
    opened(default)
    whole = content(template)
    assert content(default) == whole
    assert partly != whole


def test_a_sample_that_is_damaged_keeps_nobody_out(
    default: Path, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(small, broken)
    path = next(broken.glob("images/*/*.webp"))
    path.write_bytes(path.read_bytes()[:40])
    monkeypatch.setattr(sample, "FOLDER", broken)
    ran = small_project.concord(default, "agreement", "--format", "json")
    assert ran.status == 0
    assert "the playground could not be filled" in ran.err
    assert path.name in ran.err
    # and once it is mended, all is well
    monkeypatch.setattr(sample, "FOLDER", small)
    opened(default)
    with Store(default) as store:
        assert contents.totals(store).images == PICTURES


def test_simulated_people_removed_stay_away(filled: Path) -> None:
    whole = content(filled)
    with Store(filled) as store:
        playground.remove_simulated(store)
        playground.remove_simulated(store)
        assert contents.totals(store).simulated == 0
    opened(filled)
    left = content(filled)
    assert not [rater for rater in left["raters"] if rater[2]]
    assert left["answers"] == []
    remaining = [row for row in whole["judgements"] if row[1] not in PEOPLE]
    assert left["judgements"] == remaining
    assert {name: left[name] for name in ("images", "evidence", "runs")} == {
        n: whole[n] for n in ("images", "evidence", "runs")
    }
    # whoever wants them back can have them
    small_project.done(filled, "import", "playground")
    assert content(filled) == whole


def test_a_scorer_taken_back_stays_away(default: Path) -> None:
    listed = opened(default)
    number = next(line.split()[0] for line in listed.splitlines() if "scores geneval" in line)
    small_project.done(default, "import", "undo", number)
    opened(default)
    assert {rater for rater, *_ in content(default)["runs"]} == {"clipscore-playground"}


@pytest.mark.usefixtures("default")
def test_any_project_can_be_given_the_playground(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    images = small_project.geneval_folder(tmp_path / "made")
    small_project.done(mine, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    done = small_project.done(mine, "import", "playground")
    assert done.startswith(f"the playground: {len(ASKED)} prompts, {PICTURES} images, 2 scorers, ")
    assert small_project.done(mine, "import", "playground").startswith("nothing to do")
    with Store(mine) as store:
        assert contents.filter_choices(store).generator == [LATE, CARELESS, "sdv2"]


def test_a_moved_project_finds_its_pictures(filled: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    filled.rename(moved)
    with Store(moved) as store:
        client = World(store, create_app(store, TOKEN, pages=False), moved).client()
        row = grid.items(store, ListingQuery(Selection(generator=(LATE,)))).rows[0]
        assert client.get(f"/img/{row.sha256}").status_code == 200
        assert client.get(f"/img/{row.sha256}?w=160").status_code == 200


def submit(store: Store) -> None:
    """A real person judges one picture of the late generator."""
    world = World(store, create_app(store, TOKEN, pages=False), store.project)
    client = world.person("Fay")
    while (task := client.get("/api/next").json()["tasks"][0]) and not is_late(store, task["ticket"]):
        client.post("/api/skip", json={"ticket": task["ticket"]})
    plain = {"objects": "none", "caption_fit": 1}
    counts = {q["id"]: 0 for q in task["questionnaire"]["questions"] if q["kind"] == "count"}
    body = {"id": "00000000-0000-4000-8000-000000000000", "ticket": task["ticket"], "answers": plain | counts}
    assert client.post("/api/submit", json=body).json()["saved"]


def is_late(store: Store, ticket: str) -> bool:
    with store.read() as cursor:
        (generator,) = cursor.execute("select generator from items where public_id = ?", [ticket]).fetchone() or ("",)
    return bool(generator == LATE)


def test_simulated_people_are_never_pooled_with_people(filled: Path) -> None:
    alone = small_project.agreement(filled, "--aspect", "correct")
    assert {row["people"] for row in alone["among_people"] + alone["raters"]} == {"simulated"}
    with Store(filled) as store:
        submit(store)
    both = small_project.agreement(filled, "--aspect", "correct")
    real = [row for row in both["among_people"] if row["people"] == "real" and row["statistic"] == "mean"]
    assert real
    assert {(row["n_ratings"], row["n_items"]) for row in real} == {(1, 1)}

    def imitated(rows: dict[str, Any]) -> list[Any]:
        return [row for name in ("among_people", "raters") for row in rows[name] if row["people"] == "simulated"]

    assert imitated(both) == imitated(alone)


def _numbers(store: Store) -> str:
    opened = open_scope(store, Scope("playground"))
    assert opened is not None
    return rendered(all_numbers(store, opened, intervals=False))


def test_results_count_real_people_apart_from_simulated_ones(filled: Path) -> None:
    with Store(filled) as store:
        table = _numbers(store)
        assert "simulated people" in table
        assert ">people<" not in table
        submit(store)
        assert ">people<" in _numbers(store)


def test_simulated_people_are_removed_by_one_request_and_again_without_harm(filled: Path) -> None:
    with Store(filled) as store:
        submit(store)
        assert "Remove the simulated people" in rendered(simulated_notice(store))
        client = World(store, create_app(store, TOKEN, pages=False), filled).client()
        assert client.post("/api/studio/playground/remove", content="").status_code == 415
        assert contents.totals(store).simulated
        for _ in range(2):
            assert client.post("/api/studio/playground/remove", json={}).json() == {"removed": True}
        totals = contents.totals(store)
        assert (totals.simulated, totals.annotations) == (0, 1)
        assert rendered(simulated_notice(store)) == ""


def test_agreement_opens_on_something_and_real_people_come_first(filled: Path) -> None:
    with Store(filled) as store:

        def drawn(**asked: str) -> str:
            return str(TrustPage(store).drawn(list(asked.items()), whole=False)["content"])

        shown, tables = drawn(), drawn(numbers="all")
        # simulated people, together and each, and the scorer that says yes or no
        assert all(f">{name}<" in shown for name in ("simulated people", "simulated Ada", "geneval-playground"))
        assert ">people<" not in shown
        assert "No person has judged this yet" in shown
        assert "/annotate/" in shown
        assert tables.index("Simulated people") < tables.index("Scorers against simulated people")
        assert "Scorers against people" not in tables
        for text in ("geneval-playground", "clipscore-playground", "Cohen’s κ", "Spearman’s ρ"):
            assert text in tables
        submit(store)
        shown, tables = drawn(), drawn(numbers="all")
        # one real answer does not take the numbers away that are there
        assert "By simulated people:" in shown or "simulated people" in shown
        assert "People have judged 1 image so far" in shown
        assert tables.index("Scorers against people") < tables.index("Scorers against simulated people")
        # the rest is a click away
        assert "PABAK" not in tables
        assert "PABAK" in drawn(numbers="all", table="all_statistics")


def test_browse_shows_what_simulated_people_said(filled: Path) -> None:
    with Store(filled) as store:
        assert contents.filter_choices(store).people == ["people", "simulated people"]
        results = {
            rater: grid.items(store, ListingQuery(Selection(generator=(CARELESS,))), ListingDisplay(rater=rater)).rows
            for rater in ("people", "simulated people", "simulated Ada")
        }
    counts = {rater: {row.n or 0 for row in rows} for rater, rows in results.items()}
    assert counts["people"] == {0}
    assert max(counts["simulated people"]) == 5
    assert counts["simulated Ada"] == {0, 1}


def test_the_committed_sample_fills_a_project(tmp_path: Path) -> None:
    small_project.done(tmp_path, "import", "playground")
    committed = sample.read_sample(sample.FOLDER)
    with Store(tmp_path) as store:
        totals = contents.totals(store)
    assert totals.images == len(committed.images)
    assert totals.scorers == len(committed.runs) > 0
    assert totals.simulated > 500
