"""Trust in each state of a project: nobody, one person, few prompts, no scorer, simulated people; and by its address."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import htpy
import pytest

from data.store.core.store import Store
from tests.concord import generators_project
from tests.ui.answered_projects import KINDS
from tests.ui.answered_projects import fill as fill_kind
from tests.ui.pages.results.test_states import fill
from ui.pages.trust import TrustPage
from ui.pages.trust.view import PARTS, TrustView
from ui.shell.html import rendered


def whole(store: Store, **asked: str) -> str:
    *_, last = TrustPage(store).draw_place(lambda name: [asked[name]] if name in asked else [])
    assert last.complete
    return rendered(htpy.fragment[last.scope, last.content])


def text(drawn: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", " ", drawn)).split())


def test_nobody_has_answered_and_scorers_can_still_be_compared(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        assert "Nothing is in this project yet" in text(whole(store))
        generators_project.fill(store, people=False)
        drawn = whole(store)
    assert "Nobody has answered: no agreement" in text(drawn)
    assert "Label images" in text(drawn)
    assert "cc-dot-level" not in drawn
    assert "Could be here: people’s answers" in text(drawn)


def test_one_person_has_no_level_and_the_place_says_so(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, 3, 12)
        drawn = whole(store)
    assert "known once a second person has answered" in text(drawn)
    assert "cc-dot-level" not in drawn
    assert "Use verdicts" not in text(drawn)


@pytest.mark.parametrize(
    ("person", "said", "step"), [(True, "36 answers of 1 person", "scorer"), (False, "scores of verdicts", "Label")]
)
def test_one_rater_alone_is_told_what_a_second_one_brings(tmp_path: Path, *, person: bool, said: str, step: str) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, 3, 12, people=person, scorer=not person)
        drawn, numbers = whole(store), whole(store, numbers="all")
    assert f"Agreement begins with a second rater So far there are {said}" in text(drawn)
    primary = re.findall('cc-button--primary"[^>]*>([^<]+)<', drawn)
    assert len(primary) == 1
    assert step in primary[0]
    assert "Invite people" in text(drawn)
    assert "cannot be compared" not in text(drawn)
    # what there is stays within reach
    assert "All numbers" in text(numbers)


def test_without_an_answer_each_place_says_what_will_stand_there(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, 3, 12, people=False, scorer=False)
        drawn = text(whole(store))
    assert "Nothing has been judged yet How far scorers say what people say" in drawn
    assert "Which generator is best" not in drawn


def test_few_prompts_trust_nobody_and_are_muted(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill_kind(store, KINDS[2], prompts=4)
        drawn = whole(store)
    assert "Too few answers yet to trust a scorer: too few prompts (4 of 5)" in text(drawn)
    assert "is-few" in drawn


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_of_all_numbers_is_drawn(tmp_path: Path, kind: str) -> None:
    with Store(tmp_path / "project") as store:
        fill_kind(store, kind)
        parts = {name: text(whole(store, numbers=name).partition("cc-trust-numbers")[2]) for name in PARTS}
        every = text(whole(store, numbers="all", table="all_statistics"))
        # addresses of the two pages that were here before
        before = whole(store, suite="s", a="verdicts", b="metric", show="certainty")
    who = "simulated people" if kind == KINDS[0] else "people"
    assert f"Scorers against {who}, all images" in parts["all"]
    assert f"{who.capitalize()} among themselves" in parts["all"]
    assert "of each scorer with" in parts["all"]
    assert "the ratings that count" in parts["all"]
    for words in ("Both on", "By generator", "images"):
        assert words in parts["pair"]
    assert "Raters by what they can do" in parts["replace"]
    assert "Places within chance" in parts["replace"]
    assert f"Where {who} are unanimous" in parts["certainty"]
    assert "Closer to" in parts["scorers"] or "Fewer than two scorers" in parts["scorers"]
    assert "cut to agree" in parts["thresholds"] or "choose the aspect" in parts["thresholds"]
    assert "Consensus beside" in parts["consensus"]
    assert "Kendall" in every or "PABAK" in every
    assert "verdicts and metric" in text(before)
    assert "By people’s certainty" in text(before)


def test_simulated_people_are_marked_and_lead_to_labelling(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill_kind(store, KINDS[0])
        drawn = whole(store)
    assert "By simulated people:" in text(drawn)
    assert "cc-dot--simulated" in drawn
    assert "cc-dot--people" not in drawn
    assert "No person has judged this yet" in text(drawn)


def test_an_address_says_all_and_what_cannot_be_followed_is_left_out() -> None:
    asked = {
        "suite": ["s"], "rater": ["m"], "beside": ["x"], "epsilon": ["0.2"], "numbers": ["scorers"],
        "consensus": ["mace,median,majority"], "since": ["2024-01-01"],
    }  # fmt: skip
    view = TrustView.read(lambda name: asked.get(name, []))
    assert view.consensus == ("majority", "mace")
    assert view.address() == (
        "/studio/agreement?suite=s&rater=m&beside=x&epsilon=0.2&numbers=scorers&consensus=majority%2Cmace&since=2024-01-01"
    )
    odd = {"since": ["yesterday"], "epsilon": ["7"], "numbers": ["<b>"], "show": ["all"], "table": ["x"]}
    assert TrustView.read(lambda name: odd.get(name, [])) == TrustView(numbers="all")


def test_what_restricts_the_answers_is_said_and_can_be_left(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill_kind(store, KINDS[2])
        drawn = whole(store, certainty="unanimous")
    assert "Restricted to certainty unanimous. Show all" in text(drawn)


def test_with_one_person_a_second_one_is_invited(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, 3, 12)
        said = text(whole(store))
    assert "One person has answered: invite a second one" in said
    assert "So far verdicts is closest to this person on single images: κ" in said
    assert "is known once a second one has judged the same images" in said
    assert "Invite a second person" in said
