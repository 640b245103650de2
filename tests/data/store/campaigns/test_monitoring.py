"""What a manager's pages read besides what ``watching`` counts: subjects, spread, effort, and a campaign's judgements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.campaigns.items import sample_items
from data.campaigns.settings import Campaign
from data.records import Rater
from data.selection import Selection
from data.store import imports
from data.store.campaigns import management, monitoring, participation
from data.store.campaigns.management import Composed
from data.store.core import frame
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import revocations
from data.store.library import item_subjects
from tests.data.store.small_campaign import give
from tests.data.store.small_project import PROMPT, SPEC, column, items_of, picture, submit

ALL = Selection()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two generators' images of one prompt, two each, and one without a file."""
    images = [picture(n, generator) for generator in ("g1", "g2") for n in range(2)] + [picture(9, file=False)]
    with Store(tmp_path / "project") as made:
        imports.apply(made, [ImportBundle("images", "x", "x", [PROMPT], images, items_of(images))])
        yield made


def begun(store: Store, overlap: int = 2) -> list[str]:
    """A running campaign of all images."""
    ids = management.images(store, ALL)
    management.create(store, Campaign("c", "C", overlap=overlap), sample_items(ids, None, 0))
    management.move(store, "c", "running")
    return ids


def test_subjects_of_images_and_of_several(store: Store) -> None:
    ids = management.images(store, ALL)
    group, _ = management.groups(store, ALL)
    results = item_subjects(store, [*ids, group, "nobody", "geneval/00000/g1/9"])
    assert set(results) == {*ids, group, "geneval/00000/g1/9"}
    subject = results["geneval/00000/g2/1"]
    assert (subject.kind, subject.text, subject.spec, subject.generators, len(subject.pictures)) == (
        "image",
        "two cats",
        SPEC,
        ("g2",),
        1,
    )
    several = results[group]
    assert (several.kind, sorted(several.generators), len(several.pictures)) == ("group", ["g1", "g2"], 2)
    by_picture = {results[item].pictures[0]: results[item].generators[0] for item in ids}
    assert [by_picture[picture] for picture in several.pictures] == list(several.generators)
    assert results["geneval/00000/g1/9"].pictures == (None,)


def test_what_could_be_composed_is_what_is_composed(store: Store) -> None:
    pairs, groups = management.possible_pairs(store, ALL, "g1", "g2"), management.possible_groups(store, ALL)
    assert column(store, "select count(*) from items where kind <> 'image'") == [0]
    assert [pair.images for pair in pairs] == [(f"geneval/00000/g1/{n}", f"geneval/00000/g2/{n}") for n in range(2)]
    only = pairs[1].item_id
    assert management.pairs(store, ALL, "g1", "g2", [only]) == [only]
    assert management.groups(store, ALL, []) == []
    assert column(store, "select item_id from items where kind <> 'image'") == [only]
    assert management.groups(store, ALL) == [group.item_id for group in groups]
    members = column(store, f"select image_id from item_members where item_id = '{groups[0].item_id}' order by position")
    assert groups[0] == Composed(groups[0].item_id, tuple(members))
    with pytest.raises(ValueError, match="twice"):
        management.possible_pairs(store, ALL, "g1", "g1")


def test_spread_is_of_valid_answers_by_people(store: Store) -> None:
    a, b, c, _ = begun(store)
    for who, item in (("ann", a), ("bob", a), ("cyd", a), ("ann", b), ("dot", c)):
        participation.enter(store, who)
        give(store, "c", item, who)
        submit(store, item, who, campaign_id="c")
    # cyd came too late, and dot's answer stops counting
    revocations.revoke(store, "dot", "me", "c", uncount=True)
    assert monitoring.items_by_answer_count(store, "c") == {0: 2, 1: 1, 2: 1}
    for who in ("ann", "bob"):
        give(store, "c", c, who)
        participation.report(store, who, c, "black", "c")
    assert monitoring.items_by_answer_count(store, "c") == {0: 1, 1: 1, 2: 1}
    assert monitoring.items_by_answer_count(store, "nobody") == {}


def test_effort_is_the_median_of_people_alone(store: Store) -> None:
    ids = begun(store, overlap=9)
    assert monitoring.effort(store, "direct") == monitoring.Effort(None, 0)
    imports.apply(store, [ImportBundle("people", "sim", "sim", raters=[Rater("sim", "human", "person", simulated=True)])])
    for who, seconds in (("ann", 10), ("bob", 30), ("cyd", 20), ("dot", None), ("sim", 1000)):
        give(store, "c", ids[0], who)
        submit(store, ids[0], who, campaign_id="c", active_seconds=seconds)
    assert monitoring.effort(store, "direct") == monitoring.Effort(20.0, 3)
    assert monitoring.effort(store, "visor").n == 0


def test_a_campaigns_judgements_are_its_peoples_and_scorers_of_the_same_items(store: Store) -> None:
    a, b, *_ = begun(store)
    give(store, "c", a, "ann")
    submit(store, a, "ann", campaign_id="c")
    submit(store, a, "bob", "no")
    submit(store, b, "bob")
    with store.read() as cursor:
        cursor.execute("insert into raters (rater_id, kind, settings, simulated) values ('m', 'scorer', '{}', false)")
        for item in (a, b):
            cursor.execute(
                "insert into judgements (item_id, rater_id, aspect, label, source_id, rule_version, seq)"
                " values (?, 'm', 'correct', 'yes', 'x', '1', 1)",
                [item],
            )
    table = frame.of_campaign(store, "c")
    assert sorted(zip(table["item"], table["rater"], strict=True)) == [(a, "ann"), (a, "m")]
    assert frame.of_campaign(store, "nobody").empty
