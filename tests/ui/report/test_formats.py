"""A report's other formats say the same numbers, and nothing that strangers wrote can do anything in them."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from concord.common import machine
from data.export.formats import Columns
from data.store.campaigns import management
from data.store.core.store import Store
from tests.concord.test_exporting import export
from tests.ui import hostile_project
from tests.ui.report.test_report import Page
from tests.ui.small_project import RATINGS, concord, done, ratings_csv
from ui.report import export as data_archive
from ui.report.latex import escaped

SHARED = Path(__file__).parents[4] / "shared" / "studies" / "geneval"
NUMBERS = ("value", "low", "high")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = hostile_project.project(tmp_path_factory.mktemp("formats") / "project")
    with Store(made) as store:
        management.describe_recruitment(store, "default", {"pay_per_item": "=1+1 \\input{x} % <b>", "ethics": ""}, "rosa")
    return made


@pytest.fixture(scope="module")
def page(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The report as HTML."""
    return Page(export(project, "report", tmp_path_factory.mktemp("html") / "r.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def zipped(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its tables as CSV."""
    return export(project, "report", tmp_path_factory.mktemp("zip") / "r.zip", "--format", "csv")


def tables(path: Path) -> dict[str, list[dict[str, str]]]:
    """The CSV files of a zip by name."""
    with zipfile.ZipFile(path) as archive:
        return {
            name.removesuffix(".csv"): list(csv.DictReader(io.StringIO(archive.read(name).decode(), newline="")))
            for name in archive.namelist()
            if name.endswith(".csv")
        }


def same_numbers(records: list[dict[str, str]], wanted: list[dict[str, Any]]) -> None:
    """Row by row, digit for digit; what is undefined is an empty cell."""
    assert len(records) == len(wanted) > 0
    for line, row in zip(records, wanted, strict=True):
        for name in NUMBERS:
            assert (float(line[name]) if line[name] else None) == row[name]
        assert [line["task"], line["statistic"]] == [row["task"], row["statistic"]]
        assert [int(line["n_items"]), int(line["n_ratings"])] == [row["n_items"], row["n_ratings"]]


def test_the_tables_have_the_numbers_of_agreement(project: Path, zipped: Path) -> None:
    results = tables(zipped)
    wanted = json.loads(done(project, "agreement", "--format", "json", "--by", "certainty", "--compare"))
    same_numbers(results["among_people"], wanted["among_people"])
    same_numbers(results["raters"], wanted["raters"])
    same_numbers(results["by_certainty"], wanted["by_certainty"])
    same_numbers(results["comparisons"], [row for row in wanted["comparisons"] if row["generator"] == "all"])
    for line, row in zip(results["raters"], wanted["raters"], strict=True):
        ceiling = row["ceiling"]
        if ceiling:
            assert (float(line["ceiling_value"]) if line["ceiling_value"] else None) == ceiling["value"]
            assert line["ceiling_verdict"] == (ceiling["verdict"] or "")


def test_parquet_has_the_same_with_types_in_a_file_named_zip(project: Path, zipped: Path, tmp_path: Path) -> None:
    text = tables(zipped)
    said = done(project, "export", "report", "-o", tmp_path / "p.parquet")
    assert f"{tmp_path}/p.parquet.zip, a zip of parquet tables" in said
    assert not (tmp_path / "p.parquet").exists()
    with zipfile.ZipFile(tmp_path / "p.parquet.zip") as archive:
        names = {name.removesuffix(".parquet") for name in archive.namelist()} - {"README.md"}
        assert names == set(text)
        raters = pyarrow.parquet.read_table(io.BytesIO(archive.read("raters.parquet")))
    assert [str(raters.schema.field(name).type) for name in ("value", "n_items", "rater")] == ["double", "int64", "string"]
    assert raters.column("value").to_pylist() == [float(entry["value"]) if entry["value"] else None for entry in text["raters"]]


def test_the_readme_says_what_every_column_is(zipped: Path) -> None:
    with zipfile.ZipFile(zipped) as archive:
        readme = archive.read("README.md").decode()
    for name, rows in tables(zipped).items():
        part = readme.split(f"## {name}.csv")[1].split("\n## ")[0]
        assert data_archive.TABLES[name] in part.lower() or data_archive.TABLES[name][1:] in part
        fields = dict(re.findall(r"(?m)^\| (\w+) \| (?:text|real|whole|truth|moment) \| (.*) \|$", part))
        assert list(fields) == list(rows[0]), name
        assert all(fields.values()), (name, fields)


def test_the_same_tables_are_the_same_bytes_and_ratings_come_back(zipped: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(zipped) as archive:
        (tmp_path / "ratings.csv").write_bytes(archive.read("ratings.csv"))
        facts = archive.read("facts.csv").decode()
    done(tmp_path / "other", "import", "ratings", tmp_path / "ratings.csv")
    with zipfile.ZipFile(export(tmp_path / "other", "report", tmp_path / "s.zip", "--format", "csv")) as archive:
        again = archive.read("facts.csv").decode()
    hashes = [re.search(r"SHA-256 ([0-9a-f]{64})", text) for text in (facts, again)]
    assert None not in hashes
    assert len({result[1] for result in hashes if result}) == 1


def test_nested_and_missing_values_have_columns_of_their_own() -> None:
    rows: list[dict[str, Any]] = [
        {"a": 1, "b": None, "ceiling": {"value": 0.5}, "excluded": {"x": 1}},
        {"a": None, "b": 2.5, "ceiling": None, "c": True},
    ]
    table, columns = data_archive.typed(rows)
    wanted: Columns = {"a": "whole", "b": "real", "ceiling_value": "real", "excluded": "text", "c": "truth"}
    assert columns == wanted
    assert table["excluded"].tolist() == ['{"x": 1}', None]


ESCAPED = {
    "a\\b": r"a\textbackslash{}b",
    "50 % & $x_1^2$ #~": r"50 \% \& \$x\_1\textasciicircum{}2\$ \#\textasciitilde{}",
    "{<|>}": r"\{\textless{}\textbar\allowbreak{}\textgreater{}\}",
    "[x]* --": "{[}x{]}{*} {-}{-}",
    "é ñ ő": r"\'{e} \~{n} \H{o}",
    "Cohen’s κ": r"Cohen's \ensuremath{\kappa}",
    "☃": r"\uni{2603}{☃}",
    "\u202e\x07": r"\uni{202E}{U+202E}\uni{0007}{U+0007}",
    "two\nlines\r\n\tthree": "two lines three",
}


@pytest.mark.parametrize("text", ESCAPED)
def test_latex_takes_no_text_for_a_command(text: str) -> None:
    assert escaped(text) == ESCAPED[text]


def test_every_ascii_sign_is_itself_or_escaped() -> None:
    for code in range(0x21, 0x7F):
        shown = escaped(chr(code))
        assert shown == chr(code) or shown.startswith(("\\", "{")), chr(code)
        assert len(shown) > 1 or chr(code) not in "\\{}$&#%_~^"


def test_latex_compiles(project: Path, tmp_path: Path) -> None:
    path = export(project, "report", tmp_path / "r.tex")
    text = path.read_text(encoding="utf-8")
    assert "\\input" not in text
    assert text.count("\\begin{longtable}") == text.count("\\end{longtable}") == text.count("\\toprule") > 10
    assert r"\textbackslash{}input\{x\}" in text
    engine = shutil.which("pdflatex")
    if engine is None:
        pytest.skip("no pdflatex")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "r.tex"]
    done_ = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=240)
    assert done_.returncode == 0, done_.stdout[-3000:]
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF-")


def test_a_pdf_is_printed_or_said_to_be_impossible(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if machine.browser():
        content = export(project, "report", tmp_path / "r.pdf", "--aspect", "correct").read_bytes()
        assert content.startswith(b"%PDF-")
        assert len(content) > 20_000
    monkeypatch.setattr(machine, "BROWSERS", ("no-such-browser",))
    ran = concord(project, "export", "report", "-o", tmp_path / "none.pdf")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("export report: a PDF is printed by Chromium, and there is none (looked for ")
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "none.pdf").exists()


def test_how_people_were_asked(page: Page) -> None:
    campaign, imported = page.sections["How people were asked"]
    fields = {line[0].text: (line[1].text, line[2].text) for line in campaign.rows}
    assert campaign.caption == "default"
    assert fields["Pay per item"] == ("=1+1 \\input{x} % <b>", "")
    assert fields["Ethics review"] == ("not reported", "")
    assert fields["Number of workers"][1] == "4 people answered"
    assert fields["People for each item"] == ("", "2")
    # of what came in files nobody has said anything, and nothing is made up
    answers = {line[0].text: (line[1].text, line[2].text) for line in imported.rows}
    assert answers["Number of workers"] == ("", "5 people; 1 slot, which are nobody in particular")
    assert {name for name, (one, _) in answers.items() if one != "not reported"} == {"Number of workers", "Per-item data"}
    data = json.loads(page.data)["recruitment"]
    assert [row["said"] for row in data if row["campaign"] == "default" and row["field"] == "ethics"] == [None]


def test_where_answers_cross_and_failures_by_hand(tmp_path: Path) -> None:
    """Ten images: people say yes of 0-5; the scorer is wrong about 0 (misses it) and 6, 7 (passes them)."""
    text = "suite,prompt,task,generator,item,rater,kind,identity,aspect,target,scale,value,seq\n"
    for n in range(10):
        people = "yes" if n <= 5 else "no"
        scorer = {0: "no", 6: "yes", 7: "yes"}.get(n, people)
        for who, kind, identity, value in (
            ("x", "human", "person", people),
            ("y", "human", "person", people),
            ("z", "scorer", "", scorer),
        ):
            text += f"s,s/{n},t,g,i{n},{who},{kind},{identity},correct,,nominal,{value},{n}\n"
    (tmp_path / "r.csv").write_text(text)
    project = tmp_path / "project"
    done(project, "import", "ratings", tmp_path / "r.csv")
    page = Page(export(project, "report", tmp_path / "r.html").read_text(encoding="utf-8"))
    (table,) = page.sections["Where answers cross"]
    assert table.headings == ["z says", "people say yes", "people say no", "in all"]
    # images by majority: 5 right yes, 2 passed; 1 missed, 2 right no
    assert [[cell.text for cell in line] for line in table.rows] == [
        ["yes", "5", "2", "7"], ["no", "1", "2", "3"], ["in all", "6", "4", "10"]
    ]  # fmt: skip
    samples = json.loads(page.data)["samples"]
    assert sorted((sample["item"], sample["group"]) for sample in samples) == [
        ("i0", "s: z says no, most people say yes (1 in all)"),
        ("i6", "s: z says yes, most people say no (2 in all)"),
        ("i7", "s: z says yes, most people say no (2 in all)"),
    ]
    assert "3 shown" in page.text
    again = Page(export(project, "report", tmp_path / "s.html").read_text(encoding="utf-8"))
    assert json.loads(again.data)["samples"] == samples


def test_scores_stand_side_by_side(page: Page) -> None:
    data = json.loads(page.data)
    shown = {
        cell.exact for table in page.sections["Generators"] for line in table.rows for cell in line if cell.exact is not None
    }
    wanted = {
        row["value"]
        for name in ("among_people", "raters", "scorer_means")
        for row in data[name]
        if row["statistic"] == "mean" and row["value"] is not None
    }
    assert shown <= wanted
    whole = [row for row in data["raters"] if row["statistic"] == "mean" and row["generator"] == row["task"] == "all"]
    assert {row["value"] for row in whole} <= shown


def test_people_alone_that_differ_are_shown(tmp_path: Path) -> None:
    header = ("a,x,1", "a,y,1", "b,x,1", "b,y,2", "c,x,2", "c,y,2")
    done(tmp_path / "p", "import", "ratings", ratings_csv(tmp_path / "r.csv", *header), *RATINGS)
    page = Page(export(tmp_path / "p", "report", tmp_path / "r.html").read_text(encoding="utf-8"))
    # the aspect of these ratings is not “correct”: there is nothing to show, and no empty section
    assert "Sample failures" not in page.sections


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published study is not here")
def test_the_published_study_has_the_numbers_of_agreement(tmp_path: Path) -> None:
    project = tmp_path / "project"
    sources = [f"{name}={SHARED / f'annotations_{name}.csv'}" for name in ("sdv2", "if-xl")]
    done(project, "import", "study", "geneval", "--metadata", SHARED / "evaluation_metadata.jsonl", *sources)
    page = Page(export(project, "report", tmp_path / "r.html").read_text(encoding="utf-8"))
    wanted = json.loads(done(project, "agreement", "--format", "json"))
    data = json.loads(page.data)
    assert len(wanted["among_people"]) > 500
    assert data["among_people"] == wanted["among_people"]
    results = tables(export(project, "report", tmp_path / "r.zip", "--format", "csv"))
    same_numbers(results["among_people"], wanted["among_people"])
    # what stands in the page, cell by cell
    shown = [
        cell.exact
        for table in page.sections["People among themselves"]
        for line in table.rows
        for cell in line
        if cell.exact is not None
    ]
    assert {repr(value) for value in shown} <= {repr(row["value"]) for row in wanted["among_people"]}
    assert len(shown) > 400
    assert "8 shown" in page.text
