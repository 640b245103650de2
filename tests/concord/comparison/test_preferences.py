"""Votes on pairs from the store to the command and the page, on a project whose numbers are known by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, TypeVar

import pytest
from typer.testing import CliRunner

import app
from agreement import Options
from agreement.preferences import VoterKey
from agreement.preferences.votes import Contest
from concord.comparison import preferences
from concord.comparison.preferences import OPPOSED, PairQuery, Poll, list_pairs
from concord.judging import derive_source
from data.selection import Selection
from data.store.analysis.study_frames import preference_votes
from data.store.core.store import Store
from data.store.judgements import recording
from tests.ui.small_project import concord, done
from tests.ui.voting_project import SUITE, Said, filled, scored, voted
from ui.pages import preferences as numbers
from ui.pages.preferences import PAGE_SIZE, PreferencesView, bars, choices, contest_of, gallery
from ui.pages.results.all_numbers import preference_summary
from ui.shell.html import rendered

X, Y, Z = "x<img src=1>", "y", "z"
PLAIN = Options(intervals=False)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Pairs 0 to 3 of x and y. People: 0 x twice, 1 y, 2 both, 3 cannot tell; the metric m prefers y on 0 and x on 3."""
    with Store(tmp_path / "project") as opened:
        filled(opened, [X, Y, Z])
        scored(opened, "m", "score", {X: [0.1, 0.2, 0.3, 0.9], Y: [0.5, 0.4, 0.3, 0.2]})
        scored(opened, "right", "correct", {X: [1.0, 1.0, 0.0, 0.0], Y: [0.0, 1.0, 0.0, None]})
        votes = [Said(0, "ann", X), Said(0, "bob", X, "right"), Said(1, "ann", Y), Said(2, "ann", "both"), Said(3, "ann", None)]
        voted(opened, X, Y, votes)
        yield opened


R = TypeVar("R", bound=VoterKey)


def by(rows: Sequence[R], rater: str) -> R:
    """Return the only row of a rater."""
    (found,) = [row for row in rows if row.rater == rater]
    return found


def test_people_and_scorers_votes(store: Store) -> None:
    result = preferences.rows(store, Selection(), PLAIN)
    whole = [row for row in result.votes if row.task == "all"]
    assert {(row.rater, row.by): [row.a_wins, row.both, row.none, row.tie, row.b_wins, row.cannot_tell] for row in whole} == {
        ("people", "preference"): [2, 1, 0, 0, 1, 1],
        ("m", "score"): [1, 0, 0, 1, 2, 0],
        ("right", "correct"): [1, 1, 1, 0, 0, 0],
    }
    even = by([row for row in result.votes if row.task == "even"], "people")
    assert (even.contest, even.a_wins, even.both, even.share.value, even.pairs) == (Contest(X, Y), 2, 1, 1.0, 2)
    assert by(whole, "right").share.excluded == {"no_scorer_value": 1}
    # both people's votes for x: one stood left, one right; the vote for y stood left
    side = by(result.sides, "people")
    assert (side.left, side.right, side.unknown) == (2, 1, 0)
    m = by([row for row in result.beside if row.task == "all"], "m")
    # people are clear on pairs 0 and 1: m is opposed on the first and prefers y on the second, too
    assert (m.same.value, m.opposed, m.same_order, m.same.n_items) == (0.5, 1, False, 2)
    assert (m.kind, m.people, m.by) == ("scorer", "real", "score")
    ranks = by(result.ranks, "m")
    assert {(p.task, p.generator, p.votes): p.mean for p in ranks.points} == pytest.approx(
        {("even", X, 2): 0.2, ("even", Y, 0): 0.4, ("odd", X, 0): 0.55, ("odd", Y, 1): 0.3}
    )
    assert (ranks.agreeing, ranks.opposed) == ((), ("even", "odd"))


def test_a_generator_that_judges_itself_stands_beside_the_votes_for_it(store: Store) -> None:
    """SelfEval's Figure 6: what counts is what each model makes of the others' images, whatever else is in its settings."""
    way = {"trials": 2, "steps": 20, "stages": "", "batch": 64}
    # z's images play the real ones: four prompts, even and odd in turn
    for model, right, own in ((X, [1.0, 0.0, 1.0, 1.0], 0.0), ("y", [0.0, 0.0, 1.0, 0.0], 1.0)):
        fields: dict[str, list[float | None]] = {Z: [*right], model: [own] * 4}
        scored(store, f"selfeval-playground[{model}]", "correct", fields, {**way, "model": model, "weights": {"model": model}})
    scored(store, "elbo-playground", "correct", {Z: [1.0] * 4}, {**way, "model": "nobody"})
    ranks = preferences.rows(store, Selection(), PLAIN).ranks
    results = by(ranks, "selfeval of its own model (steps=20, trials=2)")
    assert {(p.task, p.generator, p.votes): p.mean for p in results.points} == pytest.approx(
        {("even", X, 2): 1.0, ("even", Y, 0): 0.5, ("odd", X, 0): 0.5, ("odd", Y, 1): 0.0}
    )
    assert (results.agreeing, results.opposed) == (("even",), ("odd",))
    assert not [rank for rank in ranks if rank.rater.startswith("elbo of its own")]


def test_simulated_people_are_never_counted_among_people(store: Store) -> None:
    def mark(connection: Any) -> None:
        connection.execute("update raters set simulated = true where rater_id = 'bob'")

    store.change(mark)
    assert {vote.simulated for vote in preference_votes(store, Selection()) if vote.rater_id == "bob"} == {True}
    whole = [row for row in preferences.rows(store, Selection(), PLAIN).votes if row.task == "all"]
    assert by(whole, "people").a_wins == 1
    assert by(whole, "simulated people").a_wins == 1


def test_rebuilding_changes_no_vote(store: Store) -> None:
    before, numbers_before = preference_votes(store, Selection()), preferences.rows(store, Selection(), PLAIN)
    recording.rebuild(store, derive_source)
    assert preference_votes(store, Selection()) == before
    assert preferences.rows(store, Selection(), PLAIN) == numbers_before


def test_pairs_behind_a_number_with_the_opposed_first(store: Store) -> None:
    (poll,) = preferences.rows(store, Selection(), PLAIN).polls
    contest = Contest(X, Y)
    every = list_pairs(poll, PairQuery(contest))
    assert next((pair.preferred, sorted(pair.opposed)) for pair in every) == (X, ["m (score)"])
    assert len(every) == 4
    assert [pair.preferred for pair in list_pairs(poll, PairQuery(contest, who="people", chose=X))] == [X]
    assert [pair.preferred for pair in list_pairs(poll, PairQuery(contest, who="m (score)", chose=OPPOSED))] == [X]
    assert list_pairs(poll, PairQuery(contest, who="right (correct)", chose=OPPOSED)) == []
    assert len(list_pairs(poll, PairQuery(contest, task="odd"))) == 2
    assert [pair.preferred for pair in list_pairs(poll, PairQuery(contest, who="people", chose="left out"))] == [None]


def view_of(polls: Sequence[Poll], values: Mapping[str, str]) -> PreferencesView:
    return PreferencesView.chosen(choices(polls, values), values)


def test_the_page_says_what_the_rows_say_and_escapes_names(store: Store) -> None:
    found = preferences.rows(store, Selection(), Options())
    view = view_of(found.polls, {})
    assert (view.suite, contest_of(found.polls[0], view)) == (SUITE, Contest(X, Y))
    table = rendered(bars(found.votes, found.beside, Contest(X, Y), view, ["all"]))
    shown = rendered(gallery(store, found.polls[0], view))
    text = (
        table
        + shown
        + rendered(preference_summary(store, Selection()))
        + "".join(map(numbers.side_bias, found.sides))
        + rendered(numbers.ranks_table(found.ranks))
    )
    assert "<img src=1>" not in text
    assert "<b>cow</b>" not in text
    assert escape(X) in table
    assert f'href="{escape(view.address(task="all", who="people", chose=X))}" data-part="a_wins" style="flex-grow:2"' in table
    assert "1 of 2 pairs opposed" in table
    assert shown.count('class="cc-duel"') == 4
    assert shown.count('loading="lazy"') == 8
    assert "2 : 1" in rendered(preference_summary(store, Selection()))
    # an address that asks for what there is not shows what there is
    odd = view_of(found.polls, {"suite": "?", "two": "?", "task": "?", "who": "?", "chose": "?", "page": "x"})
    assert odd == view
    assert [choice.value for choice in choices([], {}).values()] == [""] * 5


def test_the_gallery_is_paged(tmp_path: Path) -> None:
    with Store(tmp_path / "many") as store:
        filled(store, [X, Y], PAGE_SIZE + 2)
        voted(store, X, Y, [Said(n, "ann", X) for n in range(PAGE_SIZE + 2)])
        (poll,) = preferences.rows(store, Selection(), PLAIN).polls
        view = view_of([poll], {})
        assert rendered(gallery(store, poll, view)).count('class="cc-duel"') == PAGE_SIZE
        last = rendered(gallery(store, poll, PreferencesView(view.suite, view.two, page=99)))
        assert last.count('class="cc-duel"') == 2
        assert "page 2 of 2" in last


def test_strengths_of_three_generators_are_drawn(store: Store) -> None:
    voted(store, Y, Z, [Said(0, "ann", Y), Said(1, "ann", Z), Said(2, "ann", Z)])
    voted(store, X, Z, [Said(0, "ann", X), Said(1, "bob", Z)])
    rows = preferences.rows(store, Selection(), Options()).strengths
    people = [r for r in rows if r.rater == "people" and r.task == "all"]
    assert sorted(r.rank or 0 for r in people) == [1, 2, 3]
    figure = numbers.strengths_figure(people, "all")
    labels = [text.removeprefix("<b>").replace("<br>", " ").split(" · ")[0] for text in figure.layout.yaxis.ticktext]
    assert labels == [escape(name) for name in (X, Y, Z)]
    assert numbers.strengths_figure(people[:2], "all") is None
    assert "Bradley-Terry" in rendered(numbers.strengths_table(rows, "all"))


def test_the_command_prints_the_same_rows(store: Store) -> None:
    project = store.project
    rows = preferences.rows(store, Selection(suite=(SUITE,)), PLAIN).to_json()
    store.close()
    document = json.loads(done(project, "preferences", "--suite", SUITE, "--no-intervals", "--format", "json"))
    assert document == {"selection": {"suite": [SUITE]}} | json.loads(json.dumps(rows))
    text = done(project, "preferences")
    assert "Votes, by task" in text
    assert "campaigns create NAME --questionnaire ab" in done(project, "preferences", "--task", "nowhere")


def test_the_study_is_imported_once_and_taken_back(tmp_path: Path) -> None:
    project = tmp_path / "study"
    assert "1018 winning votes" in done(project, "import", "study", "selfeval")
    assert "nothing to do" in done(project, "import", "study", "selfeval")
    document = json.loads(done(project, "preferences", "--no-intervals", "--format", "json"))
    (count,) = [r for r in document["votes"] if (r["suite"], r["task"]) == ("selfeval-ldm", "count")]
    assert (count["a"], count["a_wins"], count["b"], count["b_wins"]) == ("LDM-CLIP", 11, "LDM-T5", 140)
    # by scipy.stats.spearmanr of the ten printed values
    rho = {(r["suite"][9:], r["rater"].split(" (")[0]): round(r["value"], 4) for r in document["ranks"]}
    assert rho == {
        ("pdm", "CLIPScore"): 0.1641, ("pdm", "MID"): 0.2364, ("pdm", "VPEval"): -0.2242, ("pdm", "LLMScore"): 0.0182,
        ("pdm", "SelfEval"): -0.0667, ("ldm", "CLIPScore"): 0.3823, ("ldm", "MID"): 0.2622, ("ldm", "VPEval"): -0.1824,
        ("ldm", "LLMScore"): -0.1459, ("ldm", "SelfEval"): 0.2979,
    }  # fmt: skip
    done(project, "rebuild")
    assert json.loads(done(project, "preferences", "--no-intervals", "--format", "json")) == document
    done(project, "import", "undo", "1")
    assert json.loads(done(project, "preferences", "--format", "json"))["votes"] == []
    assert concord(project, "import", "study", "selfeval").status == 0


def test_reproduce_selfeval_says_what_follows_and_what_does_not() -> None:
    ran = CliRunner().invoke(app.app, ["reproduce", "selfeval", "--format", "json"])
    assert (ran.exit_code, ran.stderr) == (
        1,
        "reproduce selfeval: 4 of 5 sentences do not follow from the printed numbers\n",
    )
    document = json.loads(ran.stdout)
    assert [entry["holds"] for entry in document["sentences"]] == [False, True, False, False, False]
    cells = {cell["where"]: cell["metrics"] for cell in document["cells"]}
    assert cells["Table 3"]["MID (printed, negated)"]["color"] == "tie"
    assert list(cells["Table 2"]["LLMScore (printed)"].values()) == ["agree"] * 5
    assert list(cells["Table 3"]["VPEval (printed)"].values()) == ["agree", *["disagree"] * 4]
