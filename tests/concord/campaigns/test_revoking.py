"""Revoking several people together, by command, route and page: who is preselected, with which reasons, and undone at once."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from concord.campaigns import revoking
from concord.campaigns.annotators import annotators_of
from data.campaigns.items import CampaignItem
from data.campaigns.settings import Campaign, Settings
from data.records import Annotation, Judgement
from data.refusals import CampaignRefused
from data.store.campaigns import management, monitoring, participation
from data.store.core.store import Store
from data.store.judgements import recording, revocations
from tests.data.store.small_campaign import give
from tests.data.store.small_project import fill
from tests.ui.http_visitor import TOKEN, World
from tests.ui.small_project import concord, done
from ui.web.server import create_app

QUICK, SLOW = 0.3, 9.0


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with Store(tmp_path / "project") as store:
        yield World(store, create_app(store, TOKEN, pages=False), tmp_path)


def study(store: Store, *, recollect: bool = False, mark: float = 0.9) -> list[str]:
    """A running campaign of 20 images and 10 gold items; returns the images' ids."""
    items = fill(store, 30)
    settings = Settings(check_every=2, gold_pass_mark=mark, attention_pass_mark=0, recollect=recollect)
    campaign = Campaign("c", "C", "yes_no", overlap=3, settings=settings)
    gold = [CampaignItem(item, "gold", expected={"correct": "yes"}) for item in items[20:]]
    management.create(store, campaign, [*map(CampaignItem, items[:20]), *gold])
    management.move(store, "c", "running")
    return items


def say(store: Store, person: str, items: list[str], *seconds: float, label: str = "") -> None:
    """One answer to each of these items for each time that it took."""
    for n, (item, time) in enumerate(zip(items, seconds, strict=False)):
        given = label or "yn"[n % 2].replace("y", "yes").replace("n", "no")
        made = Annotation(
            annotation_id=str(uuid.uuid4()), item_id=item, rater_id=person, questionnaire="yes_no", answers={"correct": given},
            judgements=(Judgement("correct", given, float(given == "yes")),), rule_version="test-1", campaign_id="c",
            active_seconds=time,
        )  # fmt: skip
        give(store, "c", item, person)
        recording.submit(store, made)


def crowd(store: Store) -> None:
    """hasty answers 5 of 12 too fast, honest one of 12; dan fails his checks."""
    items = study(store)
    say(store, "hasty", items, *[QUICK] * 5, *[SLOW] * 7)
    say(store, "honest", items, QUICK, *[SLOW] * 11)
    say(store, "ann", items, *[SLOW] * 6)
    say(store, "dan", items[20:], *[SLOW] * 10, label="no")


def out(store: Store) -> set[str]:
    return {revocation.person for revocation in revocations.current_revocations(store)}


def reasons(store: Store) -> dict[str, tuple[bool, list[tuple[str, str]]]]:
    listed = revoking.candidates(store, "c")
    return {each.person: (each.preselected, [(flag.kind, flag.code) for flag in each.flags]) for each in listed}


def test_one_quick_answer_is_information_and_convicts_nobody(world: World) -> None:
    crowd(world.store)
    assert reasons(world.store) == {
        "hasty": (True, [("pattern", "quick answers")]),
        "honest": (False, [("information", "some quick answers")]),
    }
    campaign = management.get(world.store, "c")
    assert campaign is not None
    flags = {work.worker.person: work.flags for work in annotators_of(world.store, campaign, None)}
    # who is paused by the checks is out already, and the flag says why
    assert (flags["dan"][0].kind, flags["dan"][0].sentence) == ("checks", "paused: 0 of 5 gold items right")
    assert flags["ann"] == ()


def test_revoking_together_and_undoing_it_is_one_step_each(world: World) -> None:
    store = world.store
    crowd(store)
    before = monitoring.coverage(store, "c").answers
    assert out(store) == {"dan"}
    assert revoking.revoke(store, "c", ["hasty", "honest"], "rita", uncount=True) == 24
    assert (out(store), monitoring.coverage(store, "c").answers) == ({"dan", "hasty", "honest"}, before - 24)
    assert revoking.candidates(store, "c") == []
    # whoever was let in alone, and whoever was taken out otherwise, stays as they are
    revocations.restore(store, "honest", "rita", "c")
    revocations.revoke(store, "ann", "rita", "c")
    assert revoking.undo(store, "c", "rita") == (["hasty"], 12)
    assert (out(store), monitoring.coverage(store, "c").answers) == ({"dan", "ann"}, before)
    with pytest.raises(CampaignRefused, match="nobody who was revoked together"):
        revoking.undo(store, "c", "rita")


def test_a_name_without_a_flag_revokes_nobody(world: World) -> None:
    crowd(world.store)
    for strange in ("ann", "dan", "nobody"):
        with pytest.raises(CampaignRefused, match=f"'{strange}' has no flag in c"):
            revoking.revoke(world.store, "c", ["hasty", strange], "rita", uncount=False)
    with pytest.raises(CampaignRefused, match="there is no campaign 'x'"):
        revoking.candidates(world.store, "x")
    assert out(world.store) == {"dan"}


def test_the_commands(world: World) -> None:
    project = world.store.project
    crowd(world.store)
    world.store.close()
    listed = done(project, "campaigns", "revoke-flagged", "c")
    assert "[x] hasty: quick answers: 5 of 12 answers took less than 1 s" in listed
    assert "[ ] honest: some quick answers: 1 of 12 answers took less than 1 s" in listed
    assert "nobody was revoked: --yes" in listed
    assert "1 person revoked: hasty; 12 answers stopped counting" in done(
        project, "campaigns", "revoke-flagged", "c", "--yes", "--uncounted"
    )
    assert "1 person let in again: hasty; 12 answers count again" in done(project, "campaigns", "undo-revoke", "c")
    assert "honest; their answers count" in done(project, "campaigns", "revoke-flagged", "c", "--yes", "--person", "honest")
    refused = concord(project, "campaigns", "revoke-flagged", "c", "--yes", "--person", "ann")
    assert (refused.status, "'ann' has no flag" in refused.err) == (1, True)


def test_the_routes(world: World) -> None:
    crowd(world.store)
    rita = world.person("rita")
    flagged = {"campaign": "c"}
    listed = {each["person"]: each for each in rita.get("/api/studio/flagged", params=flagged).json()}
    assert {name: each["preselected"] for name, each in listed.items()} == {"hasty": True, "honest": False}
    sentence = {"kind": "pattern", "code": "quick answers", "sentence": "5 of 12 answers took less than 1 s"}
    assert listed["hasty"]["flags"] == [sentence]
    assert rita.get("/api/studio/flagged", params={"campaign": "x"}).status_code == 404
    assert world.client().post("/api/studio/revoke", json=flagged).status_code == 401
    assert rita.post("/api/studio/revoke", json=flagged | {"people": ["ann"]}).status_code == 409
    # without names those who are preselected
    assert rita.post("/api/studio/revoke", json=flagged | {"uncount": True}).json() == {"people": ["hasty"], "answers": 12}
    assert {each.by for each in revocations.current_revocations(world.store) if each.person == "hasty"} == {"rita"}
    assert rita.post("/api/studio/revoke/undo", json=flagged).json() == {"people": ["hasty"], "answers": 12}
    assert rita.post("/api/studio/revoke/undo", json=flagged).status_code == 409


def test_most_answers_under_a_second_pause_by_themselves(world: World) -> None:
    store = world.store
    items = study(store, recollect=True)
    say(store, "bot", items, *[SLOW] * 4, *[QUICK] * 5)
    assert out(store) == set()
    # six of ten
    say(store, "bot", items[9:], QUICK)
    (pause,) = revocations.current_revocations(store)
    assert (pause.person, pause.by, pause.reason) == ("bot", "pace", "6 of 10 answers took less than 1 s")
    assert participation.next_tasks(store, "bot", "c").closed == "paused"
    assert monitoring.coverage(store, "c").answers == 0
    # let in again, they are counted anew
    revocations.restore(store, "bot", "rita", "c", now=datetime.now(UTC))
    say(store, "bot", items[10:], *[QUICK] * 9)
    assert out(store) == set()
    say(store, "bot", items[19:], QUICK)
    assert out(store) == {"bot"}


def test_a_campaign_that_pauses_nobody_does_not_pause_for_pace(world: World) -> None:
    items = study(world.store, mark=0)
    say(world.store, "bot", items, *[QUICK] * 15)
    assert out(world.store) == set()
    assert reasons(world.store) == {"bot": (True, [("pattern", "quick answers")])}
