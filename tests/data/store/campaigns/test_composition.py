"""What campaigns are made of, how they are handled, and what of them counts."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from data.campaigns.items import CampaignItem, sample_items
from data.campaigns.settings import Campaign, Settings
from data.records import Judgement
from data.refusals import CampaignRefused
from data.remarks import Adjudication
from data.selection import Selection
from data.store import browse_index, campaign_items, imports
from data.store.analysis import aggregates
from data.store.campaigns import management, participation
from data.store.core import frame, rows, schema
from data.store.core.database_file import DatabaseFile
from data.store.core.store import Store
from data.store.imports import ImportRefused
from data.store.judgements import answer_status, recording, remarks
from data.store.judgements.recording import JudgedSource
from tests.data.store.small_campaign import NAME, give, start
from tests.data.store.small_project import PROMPT, answer, column, content, fill, pictures, submit, table

ALL = Selection()
INSERT = rows.insert


def two_generators(store: Store) -> None:
    """Three images by one, two by the other; of all one prompt."""
    imports.apply(store, [pictures(3, "g1"), pictures(2, "g2")])


def revision(store: Store, person: str, item_id: str) -> tuple[bool, str | None]:
    """Whether an answer that comes now is not blind, and which one it takes the place of."""
    with store.read() as cursor:
        return answer_status.resolve_revision(cursor, store.memory, person=person, item_id=item_id, revises=None)


def test_a_group_has_one_image_of_each_generator_mixed(store: Store) -> None:
    two_generators(store)
    groups = management.groups(store, ALL)
    before = content(store)
    assert management.groups(store, ALL) == groups
    assert content(store) == before
    # the third image by g1 has nothing beside it
    assert [sorted(members(store, group)) for group in groups] == [
        [f"{PROMPT.prompt_id}/{g}/{n}" for g in ("g1", "g2")] for n in (0, 1)
    ]
    assert store_row(store, groups[0]) == ("group", None, "counting")


def test_a_single_generators_images_stand_together_in_no_order_of_theirs(store: Store) -> None:
    two_generators(store)
    (group,) = management.groups(store, Selection(generator=("g1",)))
    assert sorted(members(store, group)) == management.images(store, Selection(generator=("g1",)))
    orders = []
    for n in range(8):
        imports.apply(store, [pictures(3, f"h{n}")])
        (one,) = management.groups(store, Selection(generator=(f"h{n}",)))
        orders.append([image.rsplit("/", 1)[1] for image in members(store, one)])
    assert len({tuple(order) for order in orders}) > 1


def members(store: Store, group: str) -> list[str]:
    return column(store, f"select image_id from item_members where item_id = '{group}' order by position")


def store_row(store: Store, item_id: str) -> tuple[str, str | None, str]:
    with store.read() as cursor:
        row = cursor.execute("select kind, generator, task from items where item_id = ?", [item_id]).fetchone()
    assert row is not None
    return row


def test_pairs_are_of_the_same_index(store: Store) -> None:
    two_generators(store)
    pairs = management.pairs(store, ALL, "g1", "g2")
    assert management.pairs(store, ALL, "g1", "g2") == pairs
    members = [column(store, f"select image_id from item_members where item_id = '{p}' order by position") for p in pairs]
    assert members == [[f"{PROMPT.prompt_id}/{g}/{n}" for g in ("g1", "g2")] for n in (0, 1)]
    with pytest.raises(ValueError, match="two generators"):
        management.pairs(store, ALL, "g1", "g1")


def test_a_group_s_task_has_all_its_pictures(store: Store) -> None:
    two_generators(store)
    groups = management.groups(store, ALL)
    management.create(store, Campaign(NAME, "C", questionnaire="tifa-likert"), sample_items(groups, None, 0))
    management.move(store, NAME, "running")
    (task, other) = participation.next_tasks(store, "ann", NAME).tasks
    assert (task.kind, task.text, len(task.pictures)) == ("group", PROMPT.text, 2)
    assert {picture.generator for picture in other.pictures} == {"g1", "g2"}
    assert campaign_items.get_task(store, task.public_id) == task
    # groups are no images: the default campaign does not offer them
    assert len(participation.next_tasks(store, "ann", ahead=9).tasks) == 5


def test_what_is_said_of_a_group_s_images_stands_at_the_images(store: Store) -> None:
    two_generators(store)
    group, _ = management.groups(store, ALL)
    members = column(store, f"select image_id from item_members where item_id = '{group}' order by position")
    query = aggregates.AggregateQuery("geneval", "correct", ALL)

    def said(label: str) -> tuple[Judgement, ...]:
        return tuple(Judgement("correct", label, float(label == "yes"), item_id=member) for member in members[:2])

    first = answer(group, "ann", campaign_id=None, judgements=said("yes"))
    recording.submit(store, first)
    submit(store, members[0], "bob", "no")
    found = frame.frame(store, ALL)
    assert sorted(zip(found["item"], found["rater"], found["label"], strict=True)) == sorted(
        [(members[0], "ann", "yes"), (members[0], "bob", "no"), (members[1], "ann", "yes")]
    )
    # counting one image again finds what was said of it within the group
    counted = aggregates.aggregate(store, query)
    tasks, again = aggregates.aggregate_items(store, query, [members[0]])
    assert list(tasks) == [members[0]]
    assert sorted(again) == [(members[0], None, False, "no", None), (members[0], None, False, "yes", None)]
    whole = zip(counted.items["item"].iloc[counted.said["item"]], counted.said["label"], strict=True)
    assert sorted(label for item, label in whole if item == members[0]) == ["no", "yes"]
    version = store.version
    recording.submit(store, answer(group, "ann", campaign_id=None, judgements=said("no"), revises=first.annotation_id))
    assert store.changes_since(version).items == frozenset({group, *members[:2]})
    assert column(store, "select count(*) from judgements where rater_id = 'ann' and label = 'no'") == [2]
    before = content(store)
    recording.rebuild(store, lambda source: ("direct-1", rebuilt(source, members)))
    assert content(store) == before


def rebuilt(source: JudgedSource, members: list[str]) -> tuple[Judgement, ...]:
    if source.kind == "image":
        return (Judgement("correct", "no", 0.0),)
    assert list(source.members) == members
    return tuple(Judgement("correct", "no", 0.0, item_id=member) for member in members[:2])


def test_whoever_has_seen_one_image_of_a_group_is_not_blind_about_it(store: Store) -> None:
    two_generators(store)
    group, _ = management.groups(store, ALL)
    answer_status.record_unblinding(store, "ann", f"{PROMPT.prompt_id}/g1/0", answer_status.ON_REQUEST)
    assert revision(store, "ann", group) == (True, None)
    assert revision(store, "bob", group) == (False, None)


def test_only_the_random_stratum_counts_where_there_is_one(store: Store) -> None:
    items = fill(store, 4)
    query = aggregates.AggregateQuery("geneval", "correct", ALL)
    picked = [CampaignItem(items[1]), CampaignItem(items[2])]
    management.create(store, Campaign("mixed", "M"), [*sample_items(items[:1], None, 0), *picked])
    management.create(store, Campaign("picked", "P"), picked)
    for name in ("mixed", "picked"):
        management.move(store, name, "running")
    for item, name in ((items[0], "mixed"), (items[1], "mixed"), (items[2], "picked"), (items[3], "default")):
        give(store, name, item, "ann")
        annotation = answer(item, "ann", campaign_id=name)
        recording.submit(store, annotation)
        recording.submit(store, answer(item, "ann", "no", campaign_id=name, revises=annotation.annotation_id))
    found = frame.frame(store, ALL)
    assert dict(zip(found["item"], found["excluded"].fillna(""), strict=True)) == {
        items[0]: "", items[1]: "selected", items[2]: "", items[3]: "",
    }  # fmt: skip
    counted = aggregates.aggregate(store, query)
    refused = counted.said.dropna(subset="reason")
    left_out = dict(zip(counted.items["item"].iloc[refused["item"]], refused["reason"], strict=True))
    few = {parts[0]: parts[4] for parts in aggregates.aggregate_items(store, query, items)[1] if parts[4]}
    assert left_out == few == {items[1]: "selected"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda _: [], "at least one ordinary"),
        (lambda items: [CampaignItem(items[0], "gold", expected={"a": 1})], "at least one ordinary"),
        (lambda items: [CampaignItem(items[0])] * 2, "listed twice"),
        (lambda _: [CampaignItem("no such item")], "no item 'no such item'"),
        (lambda items: [CampaignItem(items[0]), CampaignItem(items[-1])], "all of one kind, got group and image"),
    ],
)
def test_what_makes_no_campaign(store: Store, change: Callable[[list[str]], list[CampaignItem]], why: str) -> None:
    two_generators(store)
    items = [*management.images(store, ALL), *management.groups(store, ALL)]
    before = content(store)
    with pytest.raises(CampaignRefused, match=why):
        management.create(store, Campaign(NAME, "C"), change(items))
    assert content(store) == before
    assert table(store, "campaign_items") == []


def test_items_are_not_chosen_by_what_was_said_of_them(store: Store) -> None:
    fill(store)
    for chosen in (Selection(rater=("ann",)), Selection(certainty=("split",))):
        with pytest.raises(ValueError, match="chosen by suite, task and generator"):
            management.images(store, chosen)
    assert management.images(store, Selection(generator=("nobody",))) == []


def test_a_campaign_s_life(store: Store) -> None:
    c = start(store, 2)
    with pytest.raises(CampaignRefused, match="already"):
        management.create(store, Campaign(NAME, "again"), management.items(store, NAME))
    with pytest.raises(CampaignRefused, match="already"):
        management.create(store, Campaign("default", "again"), management.items(store, NAME))
    made = management.get(store, NAME)
    assert made == Campaign(NAME, "C", overlap=2, state="running", settings=c.settings, stratum=True)
    assert management.listed(store) == [made]
    assert management.change_settings(store, NAME, {"order": "random"}, "rosa").settings.order == "random"
    c.say(c.items[0], "ann")
    assert management.change_settings(store, NAME, {"limit": 7}, "ben").settings.limit == 7
    with pytest.raises(CampaignRefused, match="order cannot change"):
        management.change_settings(store, NAME, {"order": "shared"}, "ben")
    management.change_settings(store, NAME, {"limit": 7}, "cyd")
    log = [(change.made_by, change.settings) for change in management.changes(store, NAME)]
    assert log == [("ben", {"limit": [None, 7]}), ("rosa", {"order": ["fixed", "random"]})]
    with pytest.raises(CampaignRefused, match="archive it"):
        management.remove(store, NAME)
    management.create(store, Campaign("d", "D"), [CampaignItem(c.items[0])])
    management.remove(store, "d")
    assert management.get(store, "d") is None
    # the same name again is another campaign: nothing of the first one is remembered
    management.create(store, Campaign("d", "D"), [CampaignItem(c.items[1])])
    management.move(store, "d", "running")
    assert [task.item_id for task in participation.next_tasks(store, "ann", "d").tasks] == [c.items[1]]


def test_an_import_that_a_campaign_shows_stays(store: Store) -> None:
    start(store, 2)
    (entry,) = [row.import_id for row in imports.listed(store)]
    with pytest.raises(ImportRefused, match="to be judged in c; "):
        imports.undo(store, entry)
    management.remove(store, NAME)
    imports.undo(store, entry)
    assert table(store, "items") == []


def test_a_group_that_nobody_uses_goes_with_its_images(store: Store) -> None:
    two_generators(store)
    management.groups(store, ALL)
    remaining = management.groups(store, Selection(generator=("g1",)))
    first, second = (row.import_id for row in imports.listed(store))
    imports.undo(store, second)
    assert column(store, "select item_id from items where kind = 'group'") == remaining
    imports.undo(store, first)
    assert all(table(store, name) == [] for name in ("items", "item_members", "images", "prompts"))


def test_answers_about_a_group_keep_its_images(store: Store) -> None:
    two_generators(store)
    group, _ = management.groups(store, ALL)
    submit(store, group, "ann", campaign_id=None)
    with pytest.raises(ImportRefused, match="1 person has given 1 answer about"):
        imports.undo(store, imports.listed(store)[0].import_id)


def test_the_default_campaign_follows_imports(store: Store) -> None:
    fill(store, 2)
    first = [task.item_id for task in participation.next_tasks(store, "ann", ahead=9).tasks]
    submit(store, first[0], "ann")
    imports.apply(store, [pictures(2, "g2")])
    after = [task.item_id for task in participation.next_tasks(store, "ann", ahead=9).tasks]
    assert len(after) == 3
    assert after[0] == first[1]  # what she holds comes first
    imports.undo(store, imports.listed(store)[1].import_id)
    assert [task.item_id for task in participation.next_tasks(store, "ann", ahead=9).tasks] == first[1:]
    assert management.listed(store)[0].settings.order == "shared"


def without_blanked(connection: Any, table: str, records: Iterable[Mapping[str, Any]]) -> None:
    """The importer as it was before images could be blanked, and before there were wide rows."""
    if table not in ("stale", "prompt_parts"):
        left_out = {"blanked"} if table == "images" else set[str]()
        INSERT(connection, table, [{name: row[name] for name in row if name not in left_out} for row in records])


def test_a_project_of_before_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "migrations"
    old.mkdir()
    for file in sorted(schema.MIGRATIONS.glob("000[1-5]_*.sql")):
        shutil.copy(file, old)
    columns = "annotation_id campaign_id item_id rater_id questionnaire answers submitted saw_evidence status root_id seq"
    with monkeypatch.context() as before:
        before.setattr(schema, "MIGRATIONS", old)
        before.setattr(rows, "insert", without_blanked)
        before.setattr(browse_index, "mark_stale_where", lambda *_: None)
        before.setattr(DatabaseFile, "take_numbers", lambda *_: 0)
        with Store(tmp_path / "project") as store:
            items, now = fill(store, 3), datetime.now(UTC)
            answers = [(w, "default", items[0], w, "direct", "{}", now, False, "valid", w, n) for n, w in enumerate("abc")]
            with store.read() as cursor:
                rows.insert(cursor, "campaigns", [{"campaign_id": "default", "overlap": 3, "created": now}])
                rows.insert(cursor, "annotations", [dict(zip(columns.split(), row, strict=True)) for row in answers])
            order = column(store, f"select item_id from items where item_id <> '{items[0]}' order by public_id")
    with Store(tmp_path / "project") as store:
        # nobody is paused by a rule that was not there when they began
        settings = Settings(order="shared", gold_pass_mark=0.0, attention_pass_mark=0.0, pay_told=False)
        assert management.listed(store) == [Campaign("default", "default", state="running", settings=settings)]
        assert submit(store, items[0], "dan").status == "surplus"
        assert [task.item_id for task in participation.next_tasks(store, "eve", ahead=9).tasks] == order
        assert submit(store, items[0], "fay").status == "surplus"


def test_verdicts_are_kept_and_the_latest_counts(store: Store) -> None:
    (item, other, _) = fill(store)
    first = Adjudication(str(uuid.uuid4()), item, "correct", "person", "no", "eve", rater_id="ann", note="<i>no</i> cat")
    assert remarks.adjudicate(store, first)
    assert not remarks.adjudicate(store, first)
    second = replace(first, adjudication_id=str(uuid.uuid4()), wrong="scorer", verdict="yes", rater_id="clip")
    third = replace(first, adjudication_id=str(uuid.uuid4()), item_id=other, target="cat")
    assert remarks.adjudicate(store, second)
    assert remarks.adjudicate(store, third)
    assert [verdict.adjudication_id for verdict in remarks.verdicts(store)] == [third.adjudication_id, second.adjudication_id]
    (latest,) = remarks.verdicts(store, [item])
    assert replace(latest, moment=None) == second
    assert len(remarks.verdicts(store, [item], replaced=True)) == 2
    with pytest.raises(KeyError):
        remarks.adjudicate(store, replace(first, adjudication_id="x", item_id="no such item"))
    with pytest.raises(ValueError, match="scorer, person, prompt, guideline"):
        replace(first, wrong="nobody")  # type: ignore[arg-type]
