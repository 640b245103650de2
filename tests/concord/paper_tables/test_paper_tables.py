"""`export tables`: the four papers' tables of small projects made by hand, and of the released data where they are."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agreement import Options
from concord.common.table import Table
from concord.paper_tables import Paper, paper_tables
from concord.paper_tables.geneval import geneval_tables
from data.jobs.runs import Run
from data.records import Rater
from data.selection import Selection
from data.store import runs
from data.store.core.store import Store
from data.studies.geneval import GENEVAL
from data.studies.selfeval import SELFEVAL_TABLES, selfeval_votes
from data.studies.tifa import TIFA
from tests.concord.suite_metrics.visor_project import SCORER, VisorProject, make
from tests.test_published_studies import STUDIES
from tests.ui import question_project
from tests.ui.question_project import mostly
from tests.ui.small_project import concord, done

POINT = Options(intervals=False)
Cells = dict[str, dict[str, str]]


def tables_of(project: Path, paper: Paper, options: Options = POINT) -> dict[str, Table]:
    """The tables by what stands behind the suite's name."""
    with Store(project) as store:
        return {table.caption.partition(": ")[2]: table for table in paper_tables(store, paper, Selection(), options)}


def cells(table: Table) -> Cells:
    """The texts of a table's cells by row and column."""
    return {
        row.cells[0].text: {
            column.title: cell.text for column, cell in zip(table.columns[1:], row.cells[1:], strict=True)
        }
        for row in table.rows
    }  # fmt: skip


def find(tables: Mapping[str, Table], *words: str) -> Table:
    (found,) = [table for caption, table in tables.items() if all(word in caption for word in words)]
    return found


@pytest.fixture(scope="module")
def visor(tmp_path_factory: pytest.TempPathFactory) -> VisorProject:
    return make(tmp_path_factory.mktemp("visor"), prompts=40, whole_study=True)


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def test_visors_tables_are_those_of_its_summary_and_its_study(visor: VisorProject) -> None:
    made = tables_of(visor.folder, "visor")
    for rater, evidence in ((SCORER, visor.scorer), ("people", visor.people)):
        summary = visor.summary(evidence)
        three = cells(find(made, "Table III", f"judged by {rater},"))
        six, seven = (cells(find(made, f"Table {n},", f"judged by {rater},")) for n in ("VI", "VII"))
        names = {"OA": "OA", "uncond": "VISOR_uncond", "cond": "VISOR_cond", **{f"{n}": f"VISOR_{n}" for n in range(1, 5)}}
        for generator, numbers in summary["generators"].items():
            assert three[generator] == {title: percent(numbers[key]) for title, key in names.items()}
            by_relation = summary["relations"][generator]
            assert six[generator] == {
                f"{title} {relation}": percent(by_relation.get(relation, {}).get(key))
                for title, key in (("VISORcond", "VISOR_cond"), ("OA", "OA"))
                for relation in ("left", "right", "above", "below")
            }
            alike = summary["consistency"][generator]
            relations = ("left", "right", "above", "below")
            assert seven[generator] == {**{r: percent(alike[r]) for r in relations}, "Average": percent(alike["average"])}
    study = json.loads(done(visor.folder, "reproduce", "visor", "--format", "json", "--no-intervals"))
    four, five = cells(find(made, "Table IV")), cells(find(made, "Table V,"))
    expected: Cells = {}
    for row in study["table_iv"]:
        if row["generator"] != "all":
            title = {"majority_share": "Majority", "unanimous_share": "Unanimous"}[row["statistic"]]
            expected.setdefault(row["question"], {})[f"{row['generator']} {title}"] = percent(100 * row["value"])
    assert four == expected
    assert five == {
        metric: {row["generator"]: percent(100 * row["value"]) for row in study["table_v"]
                 if row["metric"] == metric and row["generator"] != "all"}
        for metric in ("OA", "VISOR_uncond", "VISOR_cond")
    }  # fmt: skip


def test_one_table_in_each_format(visor: VisorProject, tmp_path: Path) -> None:
    for name in ("t.tex", "t.md", "t.csv"):
        assert "8 tables of VISOR" in done(visor.folder, "export", "tables", "visor", "-o", tmp_path / name)
    table = find(tables_of(visor.folder, "visor", Options()), "Table III", "people")
    first = table.rows[0].cells
    latex, markdown = ((tmp_path / name).read_text() for name in ("t.tex", "t.md"))
    assert f"{first[0].text} & {' & '.join(cell.text for cell in first[1:])}" in latex
    assert rf"\scriptsize {first[1].details[0]}" in latex
    assert latex.count(r"\begin{longtable}") == latex.count(r"\end{longtable}") == 8
    assert f"| {first[0].text} | {first[1].text} ({first[1].details[0]}) |" in markdown
    rows = [*csv.reader(io.StringIO((tmp_path / "t.csv").read_text()))]
    start = next(k for k, row in enumerate(rows) if row and row[0].endswith(table.caption))
    assert rows[start + 1] == [column.title for column in table.columns]
    assert [float(text) for text in rows[start + 2][1:]] == pytest.approx([cell.exact for cell in first[1:]])
    ran = concord(visor.folder, "export", "tables", "visor", "-o", tmp_path / "t.doc")
    assert (ran.status, ran.err.strip()) == (2, "export tables: --format is one of latex, md, csv, not doc")


def test_the_papers_tables_compile(visor: VisorProject, tmp_path: Path) -> None:
    engine = shutil.which("pdflatex")
    if engine is None:
        pytest.skip("no pdflatex")
    done(visor.folder, "export", "tables", "visor", "-o", tmp_path / "t.tex")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=240, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:]


def rating(item: str, rater: str, kind: str, label: str, aspect: str = "correct", scale: str = "nominal") -> str:
    prompt, generator, _ = item.rsplit("/", 2)
    task = {"geneval/00000": "colors", "geneval/00001": "color_attr"}[prompt]
    who = "person" if kind == "human" else ""
    return f"geneval,{prompt},{task},{generator},{item},{rater},{kind},{who},{aspect},,{scale},{label},0"


@pytest.fixture(scope="module")
def geneval(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two prompts, two images of each by two generators; two people, two settings of geneval, and a CLIPScore."""
    folder = tmp_path_factory.mktemp("geneval")
    specs = [
        {"tag": "colors", "include": [{"class": "cow", "count": 1, "color": "red"}], "prompt": "a red cow"},
        {"tag": "color_attr", "include": [{"class": "cup", "count": 1, "color": "blue"}], "prompt": "a blue cup"},
    ]
    (folder / "p.jsonl").write_text("".join(json.dumps(spec) + "\n" for spec in specs))
    project = folder / "project"
    done(project, "import", "prompts", folder / "p.jsonl", "--suite", "geneval")
    # by prompt, generator and image: two people, geneval as it is and without a crop
    answers = {
        "0/alpha": ["yy yy", "yn yn"],
        "0/beta": ["nn nn", "nn yn"],
        "1/alpha": ["yy yn", "yy yy"],
        "1/beta": ["yn nn", "ny ny"],
    }  # fmt: skip
    lines = ["suite,prompt,task,generator,item,rater,kind,identity,aspect,target,scale,value,seq"]
    for place, images in answers.items():
        for k, said in enumerate(images):
            prompt, generator = place.split("/")
            item = f"geneval/0000{prompt}/{generator}/{k}"
            people, scorers = said.split()
            for names, kind, words in ((("ann", "ben"), "human", people), (("whole", "uncropped"), "scorer", scorers)):
                lines += [
                    rating(item, name, kind, {"y": "yes", "n": "no"}[word]) for name, word in zip(names, words, strict=True)
                ]
            lines.append(rating(item, "clipscore-b", "scorer", f"{0.2 + k / 10}", "score", "interval"))
    (folder / "r.csv").write_text("\n".join(lines) + "\n")
    with Store(project) as store:
        for rater, settings in (("whole", {"crop": 1, "background": "#999"}), ("uncropped", {"crop": 0, "background": "#999"})):
            run = Run(f"run-{rater}", "geneval", "1", "playground", settings)
            runs.add_run(store, run, Rater(rater, "scorer", None, "1", settings), f"runs/{rater}", 0)
    done(project, "import", "ratings", folder / "r.csv")
    return project


def test_genevals_tables_by_hand(geneval: Path) -> None:
    made = tables_of(geneval, "geneval")
    two = cells(find(made, "Table 2", "judged by whole"))
    assert two["alpha"] == {
        "Single object": "–", "Two object": "–", "Counting": "–", "Colors": "1.00", "Position": "–",
        "Attribute binding": "1.00", "Overall": "1.00", "Any of N": "1.00", "All of N": "1.00", "CLIPScore": "0.25",
        "Human": "0.88",
    }  # fmt: skip
    # beta: colors no yes, attribute no no; of eight answers by people two are yes
    known = {name: text for name, text in two["beta"].items() if text != "–"}
    assert known == {
        "Colors": "0.50", "Attribute binding": "0.00", "Overall": "0.25", "Any of N": "0.50", "All of N": "0.00",
        "CLIPScore": "0.25", "Human": "0.25",
    }  # fmt: skip
    lack = "Single object, Two object, Counting, Position: no image of this task is judged."
    assert lack in find(made, "Table 2", "whole").notes
    four = find(made, "Table 4")
    assert [[cell.text for cell in row.cells[:3]] for row in four.rows] == [
        ["uncropped", "no", "yes"], ["whole", "yes", "yes"], ["clipscore-b (best threshold of each task)", "–", "–"],
        ["Interannotator", "–", "–"],
    ]  # fmt: skip
    assert [note for note in four.notes if note.startswith("Crop")] == [
        "Crop no, mask no: no run of the scorer has these settings: score geneval --set crop=0 --set background=original.",
        "Crop yes, mask no: no run of the scorer has these settings: score geneval --set crop=1 --set background=original.",
    ]
    # colors: whole says what 2 + 1 + 2 + 0 of 8 answers say, uncropped 2 + 1 + 2 + 2
    five = cells(find(made, "agreement with people"))
    shown = {name: [five[name][task] for task in ("Colors", "Attribute binding", "Overall")] for name in ("whole", "uncropped")}
    assert shown == {"whole": ["0.625", "0.750", "0.688"], "uncropped": ["0.875", "0.500", "0.688"]}
    # the first of two people against the other: alike on 3 of 4 images, and on 2 of 4
    assert five["Interannotator"]["Colors"] == "0.750"
    assert five["Interannotator"]["Attribute binding"] == "0.500"


def test_what_a_project_lacks_is_named_for_each_column(geneval: Path) -> None:
    """Of a selection without that scorer the column says which one would fill it."""
    with Store(geneval) as store:
        made = list(geneval_tables(store, Selection(rater=("nobody", "whole")), POINT))
    table = find({each.caption: each for each in made}, "Table 2", "whole")
    assert any(note.startswith("CLIPScore: ") and "score clipscore" in note for note in table.notes)


def test_tifas_tables_by_hand(tmp_path: Path) -> None:
    folder = question_project.project(tmp_path)
    with Store(folder) as store:
        items = question_project.items(store)
        question_project.answer(store, "good", mostly(0.9))
        question_project.answer(store, "bad", mostly(0.3, seed=2))
        for person in ("ann", "ben"):
            question_project.say(store, person, mostly(0.9), items)
        asked = {item.rsplit("/", 2)[0]: question_project.asked(store, item).questions for item in items}
    made = tables_of(folder, "tifa")
    every = [question for questions in asked.values() for question in questions]
    binary = sum({*question.choices} == {"yes", "no"} for question in every)
    one = {name: row["Number"] for name, row in cells(find(made, "Table 1")).items()}
    assert (one["# of prompts"], one["# of questions"]) == (str(len(asked)), str(len(every)))
    assert (one["- # of binary questions"], one["- # of multiple-choice questions"]) == (str(binary), str(len(every) - binary))
    assert one["avg. # of questions per prompt"] == f"{len(every) / len(asked):.1f}"
    # people say what the good one says
    three = cells(find(made, "Table 3"))
    assert three["VQA Acc."]["good"] == "100.0"
    assert float(three["VQA Acc."]["bad"]) < 60
    assert three["TIFA Corr."]["good"] == "100.0"
    assert [column.title for column in find(made, "Table 2").columns][1:] == ["Spearman’s ρ", "Kendall’s τ", "Pearson’s r"]
    assert "no person has rated images from 1 to 5" in find(made, "Table 2").notes[0]


def test_selfevals_printed_votes_come_back(tmp_path: Path) -> None:
    project = tmp_path / "project"
    done(project, "import", "study", "selfeval")
    with Store(project) as store:
        made = {table.caption: table for table in paper_tables(store, "selfeval", Selection(), POINT)}
    titles = {"attribute": "Attribute binding", "color": "Color", "count": "Count", "shape": "Shape", "spatial": "Spatial"}
    for printed in SELFEVAL_TABLES:
        shown = cells(find(made, f"{printed.suite}: "))
        for task, votes in selfeval_votes(printed).items():
            for model, n in votes.items():
                assert shown["Humans"][f"{titles[task]} {model}"] == str(n)
        for metric in printed.metrics:
            values = [float(text) for text in shown[f"{metric.rater_id} (score)"].values() if text != "–"]
            assert values == pytest.approx(list(metric.values), rel=1e-3)
        assert any(note.startswith(f"Text corruption {printed.models[0]}") for note in find(made, f"{printed.suite}: ").notes)


def test_an_empty_project_says_what_to_do(tmp_path: Path) -> None:
    for paper in ("geneval", "tifa", "selfeval", "visor"):
        ran = concord(tmp_path / "project", "export", "tables", paper, "-o", tmp_path / "t.md")
        assert ran.status == 1
        (line,) = ran.err.splitlines()
        assert line.startswith("export tables: there is no number for")
        assert re.search(r"score|import study", line)
        assert not (tmp_path / "t.md").exists()


def printed_cells(study: Any, where: str) -> list[Any]:
    return [number for number in study.numbers if number.where == where]


@pytest.mark.skipif(not (STUDIES / "geneval").is_dir(), reason="the released files are not here")
def test_genevals_human_column_is_as_printed(tmp_path: Path) -> None:
    files = [f"{name}={STUDIES}/geneval/annotations_{name}.csv" for name in ("sdv2", "if-xl")]
    metadata = STUDIES / "geneval" / "evaluation_metadata.jsonl"
    done(tmp_path / "project", "import", "study", "geneval", "--metadata", metadata, *files)
    shown = cells(find(tables_of(tmp_path / "project", "geneval"), "Table 2", "no scorer"))
    numbers = {number.generator: number.printed for number in printed_cells(GENEVAL, "Table 2")}
    assert {name: shown[name]["Human"] for name in ("sdv2", "if-xl")} == {name: numbers[name] for name in ("sdv2", "if-xl")}


@pytest.mark.skipif(not (STUDIES / "tifa").is_dir(), reason="the released files are not here")
def test_tifas_table_2_is_as_printed(tmp_path: Path) -> None:
    done(tmp_path / "project", "import", "study", "tifa", STUDIES / "tifa" / "human_annotations_with_scores.json")
    shown = cells(find(tables_of(tmp_path / "project", "tifa"), "Table 2"))
    titles = {"pearson": "Pearson’s r", "kendall_tau_b": "Kendall’s τ"}
    assert {(number.rater, number.statistic): shown[number.rater][titles[number.statistic]]
            for number in printed_cells(TIFA, "Table 2")} == {
        (number.rater, number.statistic): number.printed for number in printed_cells(TIFA, "Table 2")
    }  # fmt: skip
