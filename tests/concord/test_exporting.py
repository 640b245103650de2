"""Ratings and judgements as files, and the ratings back again: the same numbers, to the last digit, whatever the texts hold."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.selection import Selection
from data.store.core.store import Store
from data.tables import unescape_formula
from tests.ui import hostile_project
from tests.ui.small_project import RATINGS, concord, done, query, ratings_csv, tables
from ui.cli.options import FILTERS

HEADER = "suite,prompt,task,generator,item,rater,kind,identity,aspect,target,scale,value,seq"
JUDGEMENTS = (
    "suite,prompt,task,generator,item,rater,kind,identity,simulated,aspect,target,scale,label,value,excluded,rule_version,"
    "source_id,campaign,submitted,seq"
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_project.project(tmp_path_factory.mktemp("odd") / "project")


def export(project: Path, label: str, output: Path, *words: object) -> Path:
    done(project, "export", label, "-o", output, *words)
    return output


def read_csv(path: Path) -> list[dict[str, str]]:
    """The texts as they were: without the apostrophe that keeps spreadsheets from computing."""
    return [{name: unescape_formula(cell) for name, cell in row.items()} for row in raw_csv(path)]


def raw_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def numbers(project: Path, *words: object) -> dict[str, Any]:
    """What ``agreement --format json`` prints, but for what it counts as left out."""
    payload: dict[str, Any] = json.loads(done(project, "agreement", "--format", "json", *words))
    return {
        name: [{k: v for k, v in row.items() if k != "excluded"} for row in payload[name]]
        for name in payload
        if name != "selection"
    }


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_the_same_numbers_come_back(world: Path, tmp_path: Path, form: str) -> None:
    file = export(world, "ratings", tmp_path / f"ratings.{form}")
    again = tmp_path / "again"
    assert "ratings of 20 items by 9 raters (import 1;" in done(again, "import", "ratings", file)
    # the statistics are of the same rows, whatever the format was: all of them once is enough
    everything = (("--by", "target", "--no-intervals"), ("--aspect", "correct", "--seed", "7"))
    for words in everything if form == "csv" else (("--aspect", "correct", "--no-intervals"),):
        before = numbers(world, *words)
        # a table of ratings has no prompts' demands, which a suite's own metrics are of: the suite "odd" has none
        assert before.pop("suite_metrics") == []
        assert min(map(len, before.values())) > 20
        assert numbers(again, *words) == {**before, "suite_metrics": []}
    second = export(again, "ratings", tmp_path / "second.csv")
    first = file if form == "csv" else export(world, "ratings", tmp_path / "first.csv")
    assert by_kind(first) == by_kind(second)


def by_kind(path: Path) -> list[list[dict[str, str]]]:
    """Scorers' rows and people's, each in their order, without the numbers that say it: an import numbers people first."""
    rows = [{name: text for name, text in row.items() if name != "seq"} for row in read_csv(path)]
    return [[row for row in rows if (row["kind"] == "scorer") == scorer] for scorer in (True, False)]


def test_a_selection_is_exported_and_its_numbers_come_back(world: Path, tmp_path: Path) -> None:
    words = ("--aspect", "correct", "--generator", f"g {hostile_project.TEXTS[1]}", "--no-intervals")
    file = export(world, "ratings", tmp_path / "some.csv", *words[:-1])
    rows = read_csv(file)
    # a scorer's score meets people's `correct`, so it comes along
    assert Counter(row["aspect"] for row in rows)["score"] == 2 * 9
    assert {row["aspect"] for row in rows} == {"correct", "score"}
    assert {row["generator"] for row in rows} == {"g a,b"}
    done(tmp_path / "again", "import", "ratings", file)
    assert numbers(tmp_path / "again", *words) == numbers(world, *words)


@pytest.mark.parametrize(("classes", "form"), [(("unanimous",), "csv"), (("majority", "split"), "parquet")])
def test_a_certainty_is_exported_and_its_numbers_come_back(
    world: Path, tmp_path: Path, classes: tuple[str, ...], form: str
) -> None:
    """Once exported, the units need no selection any more: their people, real and simulated, are of that certainty anyway."""
    chosen = [word for name in classes for word in ("--certainty", name)]
    file = export(world, "ratings", tmp_path / f"r.{form}", *chosen)
    again = tmp_path / "again"
    done(again, "import", "ratings", file)
    for words in (("--aspect", "correct", "--by", "target", "--no-intervals"), ("--aspect", "correct", "--no-intervals")):
        before = numbers(world, *words, *chosen)
        assert {row["people"] for row in before["raters"]} == {"real", "simulated"}
        assert {row["aspect"] for row in before["among_people"]} == {words[1]}
        assert numbers(again, *words) == before
        assert before != numbers(world, *words)
    judged = read_csv(export(world, "judgements", tmp_path / "j.csv", *chosen))
    assert sum(row["excluded"] == "" for row in judged) == len(read_csv(export(again, "ratings", tmp_path / "back.csv")))


def test_a_certainty_by_hand(tmp_path: Path) -> None:
    """On a all say yes, on b most, on c as many yes as no; d has one rating. What does not count there goes with its item."""
    answers = {"a": "yes yes yes", "b": "yes yes no", "c": "no yes", "d": "yes"}
    texts = [
        line().replace(",i1,ann,", f",{item},p{n},").replace(",yes,1", f",{label},{n}")
        for item, labels in answers.items()
        for n, label in enumerate(labels.split())
    ]
    texts += [f"s,s/1,t,g,{item},clip,scorer,,score,,interval,0.5,9" for item in answers]
    project = tmp_path / "project"
    done(project, "import", "ratings", ratings_csv(tmp_path / "x.csv", *texts, header=HEADER))
    for name, item, n in (("unanimous", "a", 3), ("majority", "b", 3), ("split", "c", 2)):
        rows = read_csv(export(project, "ratings", tmp_path / f"{name}.csv", "--certainty", name))
        assert Counter((row["item"], row["aspect"]) for row in rows) == {(item, "correct"): n, (item, "score"): 1}
        rows = read_csv(export(project, "judgements", tmp_path / f"{name}.j.csv", "--certainty", name))
        assert len(rows) == n + 1
    ran = concord(project, "export", "ratings", "-o", tmp_path / "none.csv", "--rater", "p2", "--certainty", "split")
    assert (ran.status, ran.err) == (1, "export ratings: there is nothing in this selection; nothing was written\n")


def test_both_formats_hold_the_same_cells_as_the_store(world: Path, tmp_path: Path) -> None:
    text = export(world, "ratings", tmp_path / "r.csv")
    assert text.read_bytes().split(b"\n")[0].decode() == HEADER
    rows = read_csv(text)
    stored = pq.read_table(export(world, "ratings", tmp_path / "r.parquet"))
    assert stored.column_names == HEADER.split(",")
    assert [str(kind) for kind in stored.schema.types] == ["string"] * 12 + ["int64"]
    assert [{k: "" if v is None else str(v) for k, v in row.items()} for row in stored.to_pylist()] == rows
    assert [int(row["seq"]) for row in rows] == sorted(int(row["seq"]) for row in rows)
    # every hostile text stands in some cell as it was stored
    answers = {row["value"] for row in rows if row["aspect"] == "answer"}
    assert answers == set(query(world, "select distinct label from judgements where aspect = 'answer'"))
    assert answers == set(hostile_project.TEXTS)
    assert {row["item"] for row in rows} == {item.item_id for item in hostile_project.ITEMS}
    scores = sorted(float(row["value"]) for row in rows if row["aspect"] == "score")
    assert list(map(repr, scores)) == list(
        map(repr, sorted(query(world, "select value from judgements where aspect = 'score'")))
    )
    frame = pd.read_csv(text, dtype=str, keep_default_na=False)
    assert frame.to_dict("records") == raw_csv(text)


def test_only_what_counts_is_a_rating_and_everything_is_a_judgement(world: Path, tmp_path: Path) -> None:
    rows = read_csv(export(world, "ratings", tmp_path / "r.csv"))
    file = tmp_path / "j.csv"
    said = done(world, "export", "judgements", "-o", file)
    judgements = read_csv(file)
    assert said == f"{len(judgements):,} judgements in {file}, of which 5 do not count\n"
    assert len(judgements) == len(rows) + 5 == query(world, "select count(*) from judgements")[0]
    assert Counter(row["excluded"] for row in judgements if row["excluded"]) == hostile_project.EXCLUDED
    late = {row["rater"]: row for row in rows if row["rater"].startswith("late")}
    # the second and third answers of one person do not count, nor what was given after seeing the evidence or beyond two people
    assert {name: row["value"] for name, row in late.items()} == {"late 3": "yes"}
    undecided = next(row for row in judgements if row["excluded"] == "cannot_tell")
    assert (undecided["label"], undecided["value"], undecided["rater"]) == ("", "", "late 1")


def test_a_judgement_says_where_it_comes_from(world: Path, tmp_path: Path) -> None:
    rows = read_csv(export(world, "judgements", tmp_path / "j.csv"))
    assert ",".join(rows[0]) == JUDGEMENTS
    people = {row["source_id"]: row for row in rows if row["kind"] == "human"}
    assert set(people) == set(query(world, "select annotation_id from annotations"))
    submitted = dict(
        zip(
            *(query(world, f"select {c} from annotations order by annotation_id") for c in ("annotation_id", "submitted")),
            strict=True,
        )
    )
    assert all(pd.Timestamp(row["submitted"]) == submitted[source] for source, row in people.items())
    scorers = [row for row in rows if row["kind"] == "scorer"]
    assert {row["source_id"] for row in scorers} == set(query(world, "select evidence_id from evidence"))
    assert {(row["submitted"], row["campaign"], row["identity"]) for row in scorers} == {("", "", "")}
    assert Counter(row["rule_version"] for row in rows) == Counter(query(world, "select rule_version from judgements"))
    assert {(row["rater"], row["simulated"]) for row in rows if row["rater"].startswith("simulated")} == {
        ("simulated <b>Sim</b>", "true"), ("simulated Two", "true"),
    }  # fmt: skip
    stored = pq.read_table(export(world, "judgements", tmp_path / "j.parquet"))
    kinds = {name: str(kind) for name, kind in zip(stored.column_names, stored.schema.types, strict=True)}
    assert kinds == dict.fromkeys(JUDGEMENTS.split(","), "string") | {
        "simulated": "bool", "value": "double", "submitted": "timestamp[us, tz=UTC]", "seq": "int64",
    }  # fmt: skip
    assert [row["source_id"] for row in stored.to_pylist()] == [row["source_id"] for row in rows]


def test_simulated_people_come_back_as_what_they_are(world: Path, tmp_path: Path) -> None:
    file = export(world, "ratings", tmp_path / "r.csv")
    kinds = {(row["kind"], row["identity"]) for row in read_csv(file)}
    assert kinds == {("human", "person"), ("human", "slot"), ("simulated", "person"), ("scorer", "")}
    done(tmp_path / "again", "import", "ratings", file)
    who = (
        "select rater_id || '|' || kind || '|' || coalesce(identity, '-') || '|' || simulated from raters"
        " where rater_id in ('late 3') or not starts_with(rater_id, 'late') order by 1"
    )
    assert query(tmp_path / "again", who) == query(world, who)


def test_prompts_that_the_project_has_or_gets_later_are_the_ratings_prompts(world: Path, tmp_path: Path) -> None:
    file = export(world, "ratings", tmp_path / "r.csv")
    again = tmp_path / "again"
    done(again, "import", "ratings", file)
    assert query(again, "select prompt_id from prompts") == []
    assert query(again, "select distinct prompt_id from items order by 1") == query(
        world, "select distinct prompt_id from items order by 1"
    )
    texts = tmp_path / "own.csv"
    row = "mine,{},t,g,{},ann,human,person,correct,,nominal,yes,{}\n"
    texts.write_text(f"{HEADER}\n" + row.format("a photo of a cow", "i1", 1) + row.format("mine/00007", "i2", 2))
    done(again, "import", "ratings", texts)
    assert query(again, "select prompt_id || '=' || text from prompts") == ["mine/a photo of a cow=a photo of a cow"]
    assert query(again, "select prompt_id from items where suite = 'mine' order by item_id") == [
        "mine/a photo of a cow",
        "mine/00007",
    ]


def test_the_same_ratings_in_another_format_are_the_same_import_and_can_be_undone(world: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    done(again, "import", "ratings", export(world, "ratings", tmp_path / "r.csv"))
    before = tables(again)
    assert "nothing to do" in done(again, "import", "ratings", export(world, "ratings", tmp_path / "r.parquet"))
    assert tables(again) == before
    done(again, "rebuild")
    assert tables(again) == before
    done(again, "import", "undo", 1)
    assert set(map(len, tables(again).values())) == {0}


def test_a_shuffled_file_with_its_columns_in_another_order_is_the_same(world: Path, tmp_path: Path) -> None:
    rows = pd.read_csv(export(world, "ratings", tmp_path / "r.csv"), dtype=str, keep_default_na=False)
    rows.sample(frac=1, random_state=1)[sorted(rows.columns)].to_csv(tmp_path / "mixed.tsv", sep="\t", index=False)
    done(tmp_path / "again", "import", "ratings", tmp_path / "mixed.tsv")
    few = ("--aspect", "correct", "--no-intervals")
    assert numbers(tmp_path / "again", *few) == numbers(world, *few)


def test_parquet_by_other_writers_has_other_types(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {name: [None, None] for name in ("prompt", "task", "generator", "target")}
    columns |= {"suite": ["s"] * 2, "item": ["i"] * 2, "rater": ["a", "b"], "kind": ["human"] * 2, "identity": ["person"] * 2}
    columns |= {"aspect": ["grade"] * 2, "scale": ["ordinal:1-5"] * 2, "value": [4.0, 5.0], "seq": [1, 2]}
    pq.write_table(pa.table({name: columns[name] for name in HEADER.split(",")}), tmp_path / "r.parquet")
    done(tmp_path / "p", "import", "ratings", tmp_path / "r.parquet")
    assert query(tmp_path / "p", "select label from judgements order by seq") == ["4", "5"]


GOOD = "s,s/1,t,g,i{n},{who},{kind},{identity},correct,,{scale},{value},{seq}"


def line(
    n: int = 1,
    who: str = "ann",
    kind: str = "human",
    identity: str = "person",
    scale: str = "nominal",
    value: str = "yes",
    seq: str = "1",
) -> str:
    return GOOD.format(n=n, who=who, kind=kind, identity=identity, scale=scale, value=value, seq=seq)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([line(kind="consensus")], "r.csv:2: 'kind' is 'consensus', one of 'human', 'scorer' or 'simulated' expected"),
        ([line(identity="")], "r.csv:2: 'identity' is missing; it is person or slot"),
        ([line(), line(n=2, seq="1.5")], "r.csv:3: 'seq' is '1.5', a whole number expected"),
        ([line(value="maybe")], "r.csv:2: value is 'maybe': 'correct' is yes or no"),
        ([line(scale="stars")], "value is 'yes': a scale is nominal"),
        ([line(), line(n=2, kind="simulated")], "rater 'ann' has 'kind' 'simulated' here, but 'human' on line 2"),
        ([line(), line(n=2, scale="interval", value="1")], "has 'scale' 'interval' here, but 'nominal' on line 2"),
        ([line(), line().replace("s/1", "s/2")], "item 'i1' has 'prompt' 's/2' here, but 's/1' on line 2"),
        ([line().replace("s,s/1", "s/x,s/1")], "a suite's name has no '/'"),
        ([line(value="")], "no ratings in it (1 rows have no value)"),
    ],
)  # fmt: skip
def test_a_file_that_contradicts_itself_is_refused_whole(project: Path, tmp_path: Path, rows: list[str], message: str) -> None:
    ran = concord(project, "import", "ratings", ratings_csv(tmp_path / "r.csv", *rows, header=HEADER))
    assert (ran.status, ran.out) == (1, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert set(map(len, tables(project).values())) == {0}


def test_another_header_needs_options_and_some_options_need_the_others(project: Path, tmp_path: Path) -> None:
    ran = concord(project, "import", "ratings", ratings_csv(tmp_path / "r.csv", "a,x,5"))
    assert ran.status == 1
    assert "r.csv:1: this is not a file of 'export ratings' (has no column 'suite'," in ran.err
    assert "say what its columns are: --item --rater --value --aspect --scale" in ran.err
    ran = concord(project, "import", "ratings", tmp_path / "r.csv", *RATINGS[:4])
    assert (ran.status, ran.err[:52]) == (2, "import ratings: --value, --aspect, --scale missing; ")
    (tmp_path / "r.parquet").write_bytes(b"PAR1 but no more")
    assert "r.parquet: not Parquet: " in concord(project, "import", "ratings", tmp_path / "r.parquet").err
    extra = ratings_csv(tmp_path / "e.csv", f"{line()},x", header=f"{HEADER},more")
    assert "has other columns too, or one twice" in concord(project, "import", "ratings", extra).err
    assert set(map(len, tables(project).values())) == {0}


@pytest.mark.parametrize("what", ["ratings", "judgements"])
def test_nothing_selected_is_one_line_and_no_file(world: Path, tmp_path: Path, what: str) -> None:
    file = tmp_path / "old.csv"
    file.write_text("as it was")
    ran = concord(world, "export", what, "-o", file, "--target", "none such")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"export {what}: there is nothing in this selection; nothing was written\n"
    assert file.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [file]


def test_nothing_that_counts_is_no_ratings_but_judgements(tmp_path: Path) -> None:
    project = tmp_path / "project"
    done(project, "import", "ratings", ratings_csv(tmp_path / "x.csv", line(), header=HEADER))
    with Store(project) as store:
        store.write(_all_seen, None)
    ran = concord(project, "export", "ratings", "-o", tmp_path / "none.csv")
    assert (ran.status, ran.err) == (
        1,
        "export ratings: no judgement of this selection counts (1 given after seeing the evidence); nothing was written\n",
    )
    assert not (tmp_path / "none.csv").exists()
    assert len(read_csv(export(project, "judgements", tmp_path / "j.csv"))) == 1


def _all_seen(connection: Any, payloads: Any) -> list[None]:
    connection.execute("update annotations set saw_evidence = true")
    return [None for _ in payloads]


def test_the_format_is_the_files_ending_or_what_is_said(world: Path, tmp_path: Path) -> None:
    ran = concord(world, "export", "ratings", "-o", tmp_path / "r.xlsx")
    assert (ran.status, ran.err) == (2, "export ratings: --format is one of csv, parquet, jsonl, not xlsx\n")
    assert concord(world, "export", "ratings", "-o", tmp_path / "r").status == 2
    assert concord(world, "export", "ratings", "-o", tmp_path / "r.csv", "--format", "html").status == 2
    assert export(world, "ratings", tmp_path / "r", "--format", "parquet").read_bytes()[:4] == b"PAR1"
    ran = concord(world, "export", "ratings", "-o", tmp_path / "no" / "such.csv")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"export ratings: {tmp_path / 'no' / 'such.csv'} cannot be written: No such file or directory\n"
    (tmp_path / "folder.csv").mkdir()
    assert concord(world, "export", "ratings", "-o", tmp_path / "folder.csv").status == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "r"]


def test_every_filter_of_a_selection_is_an_option() -> None:
    assert set(FILTERS) == {field.name for field in fields(Selection)}
