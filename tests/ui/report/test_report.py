"""The report: its numbers are those of `agreement`, each with n and interval; it does nothing but say; it can be remade."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agreement import STATISTICS, catalogue
from concord.common import wording
from tests.concord.test_exporting import export, read_csv
from tests.ui import hostile_project
from tests.ui.small_project import RATINGS, concord, done, ratings_csv

SECTIONS = ("among_people", "raters", "matrix")
FIRST_PAGE = ["Which generator is better?", "Whom may one trust?"]
TITLES = [
    *FIRST_PAGE, "Generators", "What scorers are good for", "Scorers against people", "People among themselves",
    "How sure, and how many labels more", "By people’s certainty", "Where answers cross", "Scorers compared", "Any two raters",
    "Sample failures", "What was selected", "How people were asked", "Who judged", "Definitions", "Exclusions",
    "How to make this again",
]  # fmt: skip
VOID = {"meta", "img", "input"}
TAGS = VOID | {
    "html", "head", "title", "style", "body", "header", "h1", "p", "nav", "a", "main", "section", "h2", "ul", "li", "div",
    "table", "caption", "thead", "tbody", "tr", "th", "td", "data", "sup", "small", "dl", "dt", "dd", "code", "pre", "footer",
    "script", "figure", "figcaption", "h3", "img", "svg", "rect", "text", "b", "label", "input",
    "details", "summary", "span", "i", "button", "polyline", "polygon", "line",
}  # fmt: skip
ATTRIBUTES = {
    "lang",
    "charset",
    "name",
    "content",
    "http-equiv",
    "aria-label",
    "href",
    "id",
    "class",
    "scope",
    "title",
    "value",
    "type",
    "aria-hidden",
    "tabindex",
    "points",
    "text-anchor",
    "x1",
    "x2",
    "y1",
    "y2",
    "style",
    "checked",
    "src",
    "alt",
    "viewbox",
    "role",
    "x",
    "y",
    "width",
    "height",
}


@dataclass
class Seen:
    """A cell: its tag, its own text, the exact number behind it, the small lines beneath, its mark."""

    tag: str
    text: str = ""
    exact: float | None = None
    details: list[str] = field(default_factory=list)
    mark: str = ""


@dataclass
class SeenTable:
    caption: str = ""
    headings: list[str] = field(default_factory=list)
    rows: list[list[Seen]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Page(HTMLParser):
    """Sections with their tables and all their text, as a browser would have them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.sections: dict[str, list[SeenTable]] = {}
        self.text = ""
        self.data = ""
        self.code: list[str] = []
        self.script = ""
        self.drawn = 0
        self.feed(text)
        if self.data:
            self.data = gzip.decompress(base64.b64decode(self.data)).decode()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.script = dict(attrs).get("id") or ""
            self.code += [] if self.script else [""]
        if "figure" in self.open:
            self.drawn += tag == "table" or ("class", "curves") in attrs
            return
        if tag == "div" and ("class", "table") in attrs:
            self.sections[next(reversed(self.sections))].append(SeenTable())
        elif tag == "tr" and "tbody" in self.open:
            self._table.rows.append([])
        elif tag in ("td", "th") and "tbody" in self.open:
            self._table.rows[-1].append(Seen(tag))
        elif tag == "data":
            self._table.rows[-1][-1].exact = float(dict(attrs)["value"] or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    @property
    def _table(self) -> SeenTable:
        return self.sections[next(reversed(self.sections))][-1]

    def handle_data(self, text: str) -> None:
        inside = set(self.open)
        if "script" in inside and not self.script:
            self.code[-1] += text
        elif "script" in inside:
            self.data += text if self.script == "concord-data" else ""
        elif "style" not in inside:
            self.text += text
        if not text.strip() or not self.open:
            return
        if self.open[-1] == "h2":
            self.sections[text] = []
        elif "figure" in inside:
            return
        elif "table" in inside and "tbody" in inside:
            cell = self._table.rows[-1][-1]
            if self.open[-1] == "small":
                cell.details.append(text)
            elif self.open[-1] == "sup":
                cell.mark += text
            else:
                cell.text += text
        elif "thead" in inside:
            self._table.headings.append(text)
        elif "caption" in inside:
            self._table.caption += text
        elif "div" in inside and not inside & {"dl", "figure"}:
            self._table.notes.append(text)


@dataclass(frozen=True)
class Made:
    project: Path
    html: str
    page: Page
    data: dict[str, Any]
    markdown: str


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("report")
    project = hostile_project.project(folder / "project")
    html = export(project, "report", folder / "r.html").read_text(encoding="utf-8")
    markdown = export(project, "report", folder / "r.md").read_text(encoding="utf-8")
    page = Page(html)
    return Made(project, html, page, json.loads(page.data), markdown)


@pytest.fixture(scope="module")
def rows(made: Made) -> dict[str, Any]:
    """What ``agreement --format json`` prints of the same selection."""
    payload: dict[str, Any] = json.loads(done(made.project, "agreement", "--format", "json"))
    return payload


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def test_the_numbers_are_those_of_agreement_digit_for_digit(made: Made, rows: dict[str, Any]) -> None:
    assert made.data["selection"] == rows["selection"] == {}
    for name in SECTIONS:
        wanted = [row for row in rows[name] if name != "matrix" or (row["generator"], row["task"]) == ("all", "all")]
        assert len(wanted) > 20
        assert made.data[name] == wanted


TABLES = {
    "People among themselves": "among_people", "Scorers against people": "raters", "By people’s certainty": "by_certainty",
    "Scorers compared": "comparisons", "Any two raters": "matrix",
}  # fmt: skip


@pytest.mark.parametrize("title", TABLES)
def test_every_number_shown_is_one_of_the_data_with_n_and_interval(made: Made, title: str) -> None:
    results = {repr(row["value"]): row for row in made.data[TABLES[title]] if row["value"] is not None}
    shown = [cell for table in made.page.sections[title] for line in table.rows for cell in line if cell.exact is not None]
    # all of them, each at least once
    tests = {
        cell.exact for table in made.page.sections[title] if "McNemar" in table.caption for line in table.rows for cell in line
    }
    assert {repr(cell.exact) for cell in shown if cell.exact not in tests} == set(results)
    for cell in shown:
        if cell.exact not in tests:
            assert cell.text == f"{cell.exact:z.3f}"
            assert re.fullmatch(r"-?\d+\.\d\d to -?\d+\.\d\d|no interval", cell.details[0]), cell


def line_of(table: SeenTable, *names: str) -> dict[str, Seen]:
    (observed,) = [line for line in table.rows if tuple(cell.text for cell in line[: len(names)]) == names]
    return dict(zip(table.headings, observed, strict=True))


def test_a_line_by_hand(made: Made) -> None:
    """One line of the table, looked up in the data by its names."""
    table = next(
        t
        for t in made.page.sections["Scorers against people"]
        if t.caption == "odd: “correct” (all that the prompt asks is there): each generator"
    )
    line = line_of(table, "all generators", "task a,b", "=other")
    index = {"generator": "all", "task": "task a,b", "aspect": "correct", "people": "real", "rater": "=other"}
    (row,) = [row for row in made.data["raters"] if (index | {"statistic": "percent_agreement"}).items() <= row.items()]
    cell = line["Agreement"]
    assert (line["Items"].text, line["Ratings"].text) == (str(row["n_items"]), str(row["n_ratings"]))
    ceiling = row["ceiling"]
    assert cell.exact == row["value"]
    assert cell.details[0] == f"{row['low']:z.2f} to {row['high']:z.2f}"
    assert cell.details[1] == f"one person {ceiling['value']:z.3f} ({ceiling['low']:z.2f} to {ceiling['high']:z.2f})"
    needed = f"undecided, about {wording.count(ceiling['prompts_needed'] or 0, 'more prompt')}"
    assert cell.details[2:] == [wording.verdict(ceiling["verdict"]) if ceiling["verdict"] else needed]


def test_the_main_statistics_stand_first_and_the_rest_opens_by_a_click(made: Made) -> None:
    tables = {table.caption: table.headings[4:] for table in made.page.sections["Scorers against people"]}
    yes_no = "odd: “correct” (all that the prompt asks is there)"
    assert tables[yes_no] == ["Cohen’s κ", "Agreement", "Gwet’s AC1"]
    assert "PABAK" in tables[f"{yes_no}: more statistics"]
    shown = re.sub(r"<details>.*?</details>", "", made.html, flags=re.DOTALL)
    assert f"<caption>{yes_no}</caption>" in shown
    assert f"<summary>{yes_no}: each generator</summary>" in made.html
    assert ": more statistics" not in shown.split("<main>")[1].split("</main>")[0]
    assert made.html.count("<details>") == made.html.count("<summary>") > 3


def test_the_first_page_answers_and_print_leaves_out_what_is_folded(made: Made, tmp_path: Path) -> None:
    # the best first, by people
    chart = made.html.split('class="summary"')[1].split("</table>")[0]
    means = [float(value) for value in re.findall(r'<data value="([^"]+)"', chart)]
    assert means == sorted(means, reverse=True)
    rows = [row for row in made.data["among_people"] if (row["statistic"], row["task"]) == ("mean", "all")]
    assert set(means) == {row["value"] for row in rows if row["aspect"] == "correct" and row["people"] == "real"} - {
        row["value"] for row in rows if row["generator"] == "all"
    }
    assert " is best by " not in made.page.text  # without an interval above 0
    printed = export(made.project, "report", tmp_path / "r.tex").read_text(encoding="utf-8")
    assert ": more statistics" not in printed
    folded = made.html.count(": more statistics</caption>")
    assert folded > 3
    assert re.search(r"\d+ more tables", printed)


def test_what_is_undefined_says_why(made: Made) -> None:
    everything = [table for tables in made.page.sections.values() for table in tables]
    dashes = [(table, cell) for table in everything for line in table.rows for cell in line if cell.text == "–" and cell.mark]
    assert len(dashes) > 5
    reasons = {row["reason"] for name in (*TABLES.values(), "rank") for row in made.data[name] if row["reason"]}
    for table, cell in dashes:
        (note,) = [note for note in table.notes if note.startswith(f"({cell.mark}) ")]
        assert note.removeprefix(f"({cell.mark}) ").removesuffix(".") in reasons
    # people's interval alphas of a nominal aspect and such: a line instead of an empty column
    assert any(note.startswith("Undefined here: ") for table in everything for note in table.notes)
    undefined = [row for name in TABLES.values() for row in made.data[name] if row["value"] is None]
    assert undefined
    assert all(row["reason"] for row in undefined)


def test_sections_and_definitions_of_all_that_is_shown(made: Made) -> None:
    assert list(made.page.sections) == TITLES
    shown = {row["statistic"] for name in TABLES.values() for row in made.data[name]}
    assert len(shown) > 15
    definitions = made.page.text.split("Definitions")[-1].split("Exclusions")[0]
    for name in shown:
        statistic = catalogue.DEFINITIONS[name]
        assert all(
            part in definitions
            for part in (statistic.title, statistic.meaning, statistic.formula, statistic.range, statistic.source)
        )


def test_every_statistic_there_is_has_a_title_a_formula_and_a_source() -> None:
    assert list(catalogue.DEFINITIONS) == list(STATISTICS)
    assert all(
        statistic.title and statistic.meaning and statistic.formula and statistic.range and statistic.source
        for statistic in catalogue.DEFINITIONS.values()
    )
    assert len({statistic.title for statistic in catalogue.DEFINITIONS.values()}) == len(STATISTICS)


def test_a_page_runs_its_own_scripts_and_fetches_nothing(made: Made) -> None:
    assert made.page.tags <= TAGS
    assert {name for name, _ in made.page.attributes} <= ATTRIBUTES
    assert {value for name, value in made.page.attributes if name == "type"} == {"application/gzip", "checkbox", "button"}
    assert all(str(value).startswith("#s") for name, value in made.page.attributes if name == "href")
    styles = r"--shade: [01]\.\d\d|left:[\d.]+%(;width:[\d.]+%)?|flex-grow: \d+"
    assert all(re.fullmatch(styles, str(value)) for name, value in made.page.attributes if name == "style")
    # our own few lines, by their hash, so that no stranger's text ever runs
    (own,) = made.page.code
    assert len(own) < 5_000
    (policy,) = [str(value) for name, value in made.page.attributes if name == "content" and "default-src" in str(value)]
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'" for code in (own,)]
    rest = "base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data: blob:"
    assert policy == f"default-src 'none'; {rest}; script-src {' '.join(hashes)}"
    assert "url(" not in made.html
    assert "@import" not in made.html
    assert not re.search(r"https?:", made.html)
    # and yet all is there, as text
    for text in (
        "<img src=x onerror=alert(1)>",
        "=cmd|' /C calc'!A0",
        "clip|score`",
        "note = </td><script>",
        "task a,b",
        "g =1+1",
    ):
        assert text in made.page.text


def test_who_judged_and_what_does_not_count(made: Made, tmp_path: Path) -> None:
    people, scorers = made.page.sections["Who judged"]
    fields = {line[0].text: line[1].text for line in people.rows}
    assert fields["slot 1"] == "an anonymous place in a study’s file (slot)"
    assert fields["simulated Two"] == "simulated: imitates a person"
    assert fields["<img src=x onerror=alert(1)>"] == "a person"
    assert set(fields) == {rater.rater_id for rater in hostile_project.PEOPLE} | {"late 3"}
    line = line_of(scorers, "clip|score`")
    assert [line[name].text for name in ("Version", "Settings", "Rules", "Ratings", "Items")] == [
        "2 <beta>", "note = </td><script>, threshold = 0.3", "odd-scorer-1", "40", "20",
    ]  # fmt: skip
    left, besides = made.page.sections["Exclusions"]
    assert {line[3].text: int(line[4].text) for line in left.rows} == {
        wording.reason(name): n for name, n in hostile_project.EXCLUDED.items()
    }
    assert [line[2].text for line in left.rows] == ["people"] * 4
    # what a slot says is no person's, so it has no part in Cohen's kappa among people
    ratings = read_csv(export(made.project, "ratings", tmp_path / "r.csv"))
    slots = sum((row["rater"], row["aspect"]) == ("slot 1", "correct") for row in ratings)
    told_of_slots = [
        (line[4].text, line[5].text)
        for line in besides.rows
        if [cell.text for cell in line[:4]] == ["people among themselves", "odd", "correct", wording.reason("slot")]
    ]
    assert [n for n, _ in told_of_slots] == [str(slots)]
    assert "Cohen’s κ" in told_of_slots[0][1].split("; ")


def test_it_says_how_it_was_made_and_remakes_itself(made: Made, tmp_path: Path) -> None:
    facts = {line[0].text: line[1].text for line in made.page.sections["How to make this again"][0].rows}
    assert {"Made", "Concord", "Python", "numpy", "scipy", "pandas", "duckdb"} < set(facts)
    assert facts["Intervals"] == "95 %, by the jackknife over prompts with Student’s t; each row says how its own was made"
    assert facts["Seed"] == "0, of what is drawn: folds, swaps of prompts, models of a crowd"
    assert facts["Data"] == f"{made.data['data']['ratings']:,} ratings, SHA-256 {made.data['data']['sha256']}"
    command = shlex.split(made.data["command"])
    assert made.data["command"] in made.page.text
    assert command[:5] == ["uv", "run", "app.py", "export", "report"]
    place = command[command.index("-o") + 1]
    again = [str(tmp_path / "again.html") if word == place else word for word in command[3 : command.index("--project")]]
    done(Path(command[command.index("--project") + 1]), *again)
    second = Page((tmp_path / "again.html").read_text(encoding="utf-8"))
    assert without(json.loads(second.data), "made", "command") == without(made.data, "made", "command")
    assert without(vars(second)["sections"], TITLES[-1]) == without(made.page.sections, TITLES[-1])


def test_the_hash_is_of_what_was_used_in_whatever_order(made: Made, tmp_path: Path) -> None:
    # the rule as the report states it, on the exported ratings
    ratings = read_csv(export(made.project, "ratings", tmp_path / "r.csv"))
    lines = sorted(
        json.dumps([row[name] or None for name in row if name != "seq"], ensure_ascii=False, separators=(",", ":"))
        for row in ratings
    )
    assert made.data["data"] == {"ratings": len(ratings), "sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest()}
    assert "SHA-256 of the ratings that count" in made.page.text

    def sha256(name: str, *rows: str) -> str:
        file = ratings_csv(tmp_path / f"{name}.csv", *rows)
        done(tmp_path / name, "import", "ratings", file, *RATINGS)
        page = Page(export(tmp_path / name, "report", tmp_path / f"{name}.html").read_text(encoding="utf-8"))
        return str(json.loads(page.data)["data"]["sha256"])

    one = sha256("one", "a,x,5", "b,x,4", "a,y,3")
    assert sha256("two", "a,y,3", "b,x,4", "a,x,5") == one
    assert sha256("three", "a,y,3", "b,x,4", "a,x,4") != one


def test_markdown_says_the_same(made: Made) -> None:
    text, data = made.markdown.split("## Data")
    assert without(json.loads(data.split("```json\n")[1].rsplit("\n```", 1)[0]), "made", "command") == without(
        made.data, "made", "command"
    )
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == TITLES
    tables = [t for tables in made.page.sections.values() for t in tables if t.rows]
    heads = re.findall(r"(?m)^\|(?: -{3}:? \|| ---: \|)+$", text)
    # what is drawn in HTML is a table here
    assert len(heads) == len(tables) + made.page.drawn
    assert made.page.drawn > 2
    # a text can neither end its cell nor be anything but text
    width = 0
    for before, line in pairwise(["", *text.splitlines()]):
        if line.startswith("|"):
            bars = len(re.findall(r"(?<!\\)\|", line))
            width = width if before.startswith("|") else bars
            assert bars == width, line
    assert "<" not in text
    assert not re.search(r"(?<!\\)\[|(?<!\\)`(?!``)(?<!``)", text.replace("```", ""))
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "clip\\|score\\`" in text


def test_a_selection_is_said_and_kept(made: Made, tmp_path: Path) -> None:
    chosen = ("--aspect", "correct", "--task", "task a,b", "--seed", "3")
    page = Page(export(made.project, "report", tmp_path / "some.html", *chosen).read_text(encoding="utf-8"))
    data = json.loads(page.data)
    wanted = json.loads(done(made.project, "agreement", "--format", "json", *chosen))
    for name in ("among_people", "raters"):
        assert data[name] == wanted[name]
    assert {row["aspect"] for name in TABLES.values() for row in data[name]} == {"correct"}
    assert data["seed"] == 3
    assert "Only task task a,b, aspect correct: " in page.text
    words_ = shlex.split(data["command"])
    assert words_[5:13] == ["--task", "task a,b", "--aspect", "correct", "--seed", "3", "--format", "html"]
    # one task alone has the numbers of all tasks: it is shown once, under its name
    (table, *_) = page.sections["People among themselves"]
    assert {line[table.headings.index("Task")].text for line in table.rows} == {"task a,b"}


def test_a_certainty_is_said_in_the_heading_and_holds_for_everything(made: Made, tmp_path: Path) -> None:
    chosen = ("--certainty", "unanimous", "--certainty", "split")
    page = Page(export(made.project, "report", tmp_path / "some.html", *chosen).read_text(encoding="utf-8"))
    data = json.loads(page.data)
    assert ": correct, unanimous and split units alone" in page.text
    assert "Only certainty unanimous or split: " in page.text
    assert "The others are not in this report." in page.text
    wanted = json.loads(done(made.project, "agreement", "--format", "json", "--by", "certainty", "--compare", *chosen))
    for name in ("among_people", "raters", "by_certainty"):
        assert data[name] == wanted[name]
    assert data["comparisons"] == [row for row in wanted["comparisons"] if row["generator"] == "all"]
    # what was used is what is exported, and no more is said of who judged
    ratings = read_csv(export(made.project, "ratings", tmp_path / "r.csv", *chosen))
    everything = read_csv(export(made.project, "ratings", tmp_path / "all.csv"))
    assert data["data"]["ratings"] == len(ratings) < len(everything)
    people, _ = page.sections["Who judged"]
    counts = {line[0].text: int(line[2].text) for line in people.rows}
    assert counts == Counter(row["rater"] for row in ratings if row["kind"] != "scorer")
    one = Page(export(made.project, "report", tmp_path / "one.html", *chosen[:2]).read_text(encoding="utf-8"))
    assert ": correct, unanimous units alone" in one.text
    assert "By people’s certainty" not in one.sections
    assert "units alone" not in made.page.text


def test_a_scorer_that_only_scores_is_cut(project: Path, tmp_path: Path) -> None:
    """Scores of no are 0.0 to 0.4, of yes 10.0 to 10.4: the cut is halfway, and out of fold all is right.

    Beside two equal answers a person is always right too, so that a score is not below; more is not said of it.
    """
    row = "s,s/{n},t,g,i{n},{who},{value},{n}\n"
    text = "suite,prompt,task,generator,item,rater,kind,identity,aspect,target,scale,value,seq\n"
    for n in range(10):
        label, score = "no" if n < 5 else "yes", n % 5 / 10 + (0 if n < 5 else 10)
        text += "".join(row.format(n=n, who=f"{who},human,person,correct,,nominal", value=label) for who in "xy")
        text += row.format(n=n, who="says,scorer,,correct,,nominal", value=label)
        text += "".join(row.format(n=n, who=f"{who},scorer,,score,,interval", value=score) for who in ("says", "clip"))
    (tmp_path / "r.csv").write_text(text)
    done(project, "import", "ratings", tmp_path / "r.csv")
    page = Page(export(project, "report", tmp_path / "r.html").read_text(encoding="utf-8"))
    (table,) = page.sections["Scores as decisions"]
    (line,) = table.rows
    cells = dict(zip(table.headings, line, strict=True))
    assert [cells[name].text for name in ("Scorer", "Yes above", "Items", "Ratings")] == ["clip", "5.2", "10", "20"]
    assert [cells[name].text for name in ("Agreement", "Cohen’s κ")] == ["1.000", "1.000"]
    # of ten prompts that are all right: the exact interval of the share, and none of kappa
    assert [cells[name].details[0] for name in ("Agreement", "Cohen’s κ")] == ["0.69 to 1.00", "no interval"]
    assert [cells[name].details[1] for name in ("Agreement", "Cohen’s κ")] == ["in sample 1.000"] * 2
    data = json.loads(page.data)
    assert {row["rater"] for row in data["thresholds"]} == {"clip"}
    wanted = json.loads(done(project, "agreement", "--format", "json", "--thresholds"))["thresholds"]
    assert data["thresholds"] == [row for row in wanted if (row["rater"], row["generator"]) == ("clip", "all")]
    against = next(table for table in page.sections["Scorers against people"] if "AUC" in table.headings)
    details = line_of(against, "g", "t", "clip")["AUC"].details
    assert details[1:] == ["one person 1.000", "undecided"]


def test_in_short(made: Made) -> None:
    index = {"generator": "all", "task": "all", "aspect": "correct", "people": "real", "statistic": "percent_agreement"}
    (row,) = [row for row in made.data["among_people"] if index.items() <= row.items()]
    wanted = f"two people say the same in {row['value']:.1%} of cases (95 % interval {row['low']:.1%} to {row['high']:.1%})"
    assert (
        f"odd, “correct” (all that the prompt asks is there): {wanted}; of 2 scorers the closest to them is " in made.page.text
    )
    assert "Simulated people are seeded imitations" in made.page.text


def test_nothing_selected_is_one_line_and_no_file(made: Made, project: Path, tmp_path: Path) -> None:
    ran = concord(made.project, "export", "report", "-o", tmp_path / "r.html", "--target", "none such")
    assert (ran.status, ran.out, ran.err) == (1, "", "export report: there is nothing in this selection; nothing was written\n")
    ran = concord(project, "export", "report", "-o", tmp_path / "r.md")
    assert (ran.status, ran.err) == (1, "export report: there is nothing in this selection; nothing was written\n")
    ran = concord(made.project, "export", "report", "-o", tmp_path / "r.txt")
    assert (ran.status, ran.err) == (2, "export report: --format is one of html, md, pdf, latex, csv, parquet, not txt\n")
    assert concord(made.project, "export", "report", "-o", tmp_path / "r.html", "--seed", "-1").status == 2
    assert [path for path in tmp_path.iterdir() if path != project] == []


def test_people_alone_make_a_report(project: Path, tmp_path: Path) -> None:
    done(project, "import", "ratings", ratings_csv(tmp_path / "r.csv", "a,x,5", "a,y,4", "b,x,1"), *RATINGS)
    page = Page(export(project, "report", tmp_path / "r.html").read_text(encoding="utf-8"))
    assert list(page.sections) == [
        title
        for title in TITLES
        if title not in (*list(TABLES)[1:], "What scorers are good for", "Where answers cross", "Sample failures")
    ]
    assert "3 ratings by people, about 2 items." in page.text


def test_of_equally_judged_aspects_the_first_page_is_about_that_of_overview(project: Path, tmp_path: Path) -> None:
    columns = ("--item", "image", "--rater", "who", "--value", "value")
    fits = ratings_csv(tmp_path / "fits.csv", "a,x,4", "a,y,3", "b,x,1")
    done(project, "import", "ratings", fits, *columns, "--aspect", "caption_fit", "--scale", "ordinal:1-4")
    right = ratings_csv(tmp_path / "right.csv", "a,x,yes", "a,y,no", "b,x,no")
    done(project, "import", "ratings", right, *columns, "--aspect", "correct", "--scale", "nominal")
    page = Page(export(project, "report", tmp_path / "r.html").read_text(encoding="utf-8"))
    assert page.text.index("“correct”") < page.text.index("“caption_fit”")
