"""Tables of ratings as people have them: drawn at random from ratings that are known, so that a wrong reading is noticed.

A table is *unambiguous* (docs/importing.md, "What is read without asking") if nothing in it could mean two things: that is
known of each drawn form before the table is read. What is refused is counted by its cause.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

from concord.common.context import CommandError, Context
from concord.importing.rating_request import RatingRequest
from concord.importing.ratings import import_ratings
from data.files import InputError
from data.folding import fold_spelling
from data.records import Judgement
from data.store import imports
from data.store.core.store import Store
from tests.fuzz.oracle import check_message
from tests.workbooks import workbook

Truth = Mapping[tuple[str, str], str | float]
"""By item and rater the rating: a label, or a number."""


@dataclass(frozen=True)
class PeoplesTable:
    """A table in a file with what it says.

    Attributes:
        options: what the user says of it, as `import ratings` takes it.
        forms: how it is written, in words; ``ambiguous``: those that could mean two things.
    """

    name: str
    content: bytes
    options: Mapping[str, Any]
    truth: Truth
    forms: tuple[str, ...]
    ambiguous: tuple[str, ...]


@dataclass
class Tally:
    """What became of tables.

    Attributes:
        wrong: tables that were read as something else than they say, with what came out.
    """

    tables: int = 0
    unambiguous: int = 0
    read: int = 0
    read_unambiguous: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    refused_unambiguous: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count another tally's tables, too."""
        for name in ("tables", "unambiguous", "read", "read_unambiguous"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refused += other.refused
        self.refused_unambiguous += other.refused_unambiguous
        self.wrong += other.wrong

    def lines(self) -> list[str]:
        """Return the tally in words."""
        share = self.read_unambiguous / max(self.unambiguous, 1)
        head = (
            f"{self.tables:,} tables, {len(self.wrong):,} read wrongly; {self.unambiguous:,} unambiguous"
            f" ({self.unambiguous / max(self.tables, 1):.1%}), of which {share:.1%} were read;"
            f" {self.read:,} read in all, {sum(self.refused.values()):,} refused"
        )
        causes = [f"  {n:,} {cause}" for cause, n in self.refused.most_common()]
        return [
            head,
            *causes,
            *(f"  unambiguous and refused: {n:,} {cause}" for cause, n in self.refused_unambiguous.most_common()),
        ]


_LABELS: Final = (
    ("good", "bad"), ("red", "green", "blue"), ("mäßig", "gut", "größer"), ("présent", "absent"), ("très bon", "mauvais"),
    ("ja", "nein"), ("好", "差"), ("sí", "quizás"), ("dobry", "zły", "średni"), ("too dark", "too bright", "right"),
    ("café", "naïve"), ("да", "нет"), ("A", "B", "tie"),
)  # fmt: skip
_LEVELS: Final = (("low", "mid", "high"), ("mäßig", "gut"), ("faible", "élevé"), ("schlecht", "mittel", "gut"))
_ITEMS: Final[Sequence[Callable[[int], str]]] = (
    lambda n: f"img_{n:03d}.png", lambda n: f"sdxl/{n:05d}.png", lambda n: f"C:\\out\\flux\\{n}.png",
    lambda n: f"Bild größer {n}.jpg", lambda n: f"prompt {n + 1}",
    lambda n: str(n + 1), lambda n: f"https://x.org/a/{n}.webp", lambda n: f"été_{n}.png",
)  # fmt: skip
_RATERS: Final = (
    ("ann", "ben", "cleo", "dan"), ("R_1aB", "R_2cD", "R_3eF", "R_4gH"), ("Zoë", "Jürgen", "Ann-Kathrin", "José"),
    ("a@x.org", "b@x.org", "c@x.org", "d@x.org"), ("A1B2C3", "A1B2C4", "A1B2C5", "A1B2C6"), ("王", "李", "张", "赵"),
    ("person 1", "person 2", "person 3", "person 4"),
)  # fmt: skip
_NAMES: Final = (
    ("image", "rater", "value"),
    ("item", "worker", "answer"),
    ("Bild", "Person", "Urteil"),
    ("file", "ResponseId", "Q1"),
)
_WORDS_FOR_NOTHING: Final = ("N/A", "None", "null", "#N/A", "-", "—", "n.a.", "<NA>", "?", "(blank)")
_CODES: Final = (
    ("utf-8", 6), ("utf-8-sig", 5), ("utf-16", 3), ("utf-16-be", 1), ("utf-16-le", 1), ("cp1252", 3), ("cp1250", 1),
    ("mac-roman", 1), ("gb18030", 1), ("cp1251", 1),
)  # fmt: skip
_WESTERN: Final = frozenset("ÁÂÄÇÉËÍÎÓÔÖÚÜÝßáâäçéëíîóôöúüý")
_STORED: Final = 10
"""Of so many tables one is stored and read back from the database; of the others it is looked at what would be stored."""
_DELIMITERS: Final = ((",", 8), (";", 5), ("\t", 3), ("|", 1))


def draw_table(seed: int) -> PeoplesTable:
    """Return the table of a number: always the same."""
    return _Drawing(Random(f"table/{seed}")).table()


class _Drawing:
    """One table being drawn."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.forms: list[str] = []
        self.ambiguous: list[str] = []
        self.options: dict[str, Any] = {}

    def likely(self, share: float) -> bool:
        return self.draw.random() < share

    def weighted(self, choices: Sequence[tuple[str, int]]) -> str:
        return self.draw.choices([name for name, _ in choices], [weight for _, weight in choices])[0]

    def form(self, text: str, *, unclear: bool = False) -> None:
        self.forms.append(text)
        if unclear:
            self.ambiguous.append(text)

    def table(self) -> PeoplesTable:
        draw = self.draw
        items = [draw.choice(_ITEMS)] * draw.randint(2, 9)
        names = [make(n) for n, make in enumerate(items)]
        raters = list(draw.choice(_RATERS)[: draw.randint(2, 4)])
        kind = draw.choice(["interval", "interval", "ordinal", "ordinal", "nominal", "nominal", "nominal", "levels", "yes"])
        truth, texts = self.ratings(kind, names, raters)
        holes = self.holes(names, raters)
        for key in holes:
            truth.pop(key)
            texts[key] = holes[key]
        if not truth:
            truth = {(names[0], raters[0]): truth_of("good")}
            texts[names[0], raters[0]] = "good"
            self.options |= {"aspect": "quality", "scale": "nominal"}
        self.spellings(texts, kind)
        header, rows, orientation = self.laid_out(names, raters, texts)
        return self.written(header, rows, orientation, {key: value for key, value in truth.items() if key not in holes})

    def ratings(
        self, kind: str, items: Sequence[str], raters: Sequence[str]
    ) -> tuple[dict[tuple[str, str], Any], dict[tuple[str, str], str]]:
        """Return the ratings, and how they are written."""
        draw, keys = self.draw, [(item, rater) for item in items for rater in raters]
        self.options |= {"aspect": "quality", "scale": "interval"}
        if kind == "interval":
            digits = draw.choice([1, 2, 2, 3])
            values = {key: round(draw.choice([1, 1, 10]) * draw.uniform(0.1, 9.9), digits) for key in keys}
            return dict(values), self.numbers({key: f"{value:.{digits}f}" for key, value in values.items()})
        if kind == "ordinal":
            step = draw.choice(["1", "1", "0.5"])
            self.options["scale"] = "ordinal:1-5" if step == "1" else "ordinal:0.5-5:0.5"
            chosen = {key: draw.randint(1, 5) if step == "1" else draw.randint(1, 10) / 2 for key in keys}
            decimals = step != "1" or self.likely(0.2)
            texts = {key: f"{value:.1f}" if decimals else f"{value:g}" for key, value in chosen.items()}
            return {key: truth_of(f"{value:g}") for key, value in chosen.items()}, self.numbers(texts)
        if kind == "levels":
            labels: Sequence[str] = draw.choice(_LEVELS)
            self.options["scale"] = "ordinal:" + "<".join(labels)
        elif kind == "yes":
            self.options |= {"aspect": "correct", "scale": "nominal"}
            words = draw.choice([("yes", "no"), ("Yes", "No"), ("TRUE", "FALSE"), ("1", "0"), ("y", "n")])
            answers = {key: draw.randint(0, 1) for key in keys}
            return {key: ("no", "yes")[value] for key, value in answers.items()}, {
                key: words[1 - value] for key, value in answers.items()
            }
        else:
            labels = draw.choice(_LABELS)
            self.options |= {"aspect": "mood", "scale": "nominal"}
        said = {key: draw.choice(labels) for key in keys}
        return dict(said), dict(said)

    def numbers(self, texts: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
        """Write numbers with a decimal point or comma; at times both, or signs between thousands."""
        sign = "," if any("." in text for text in texts.values()) and self.likely(0.4) else "."
        if sign == ".":
            return texts
        commas = {key: text.replace(".", ",") for key, text in texts.items()}
        thousands = all(re.fullmatch(r"[1-9]\d{0,2},\d{3}", text) for text in commas.values() if "," in text)
        self.form("decimal commas, three digits each" if thousands else "decimal commas", unclear=thousands)
        if self.likely(0.08):
            key = self.draw.choice(list(commas))
            if "," in commas[key] and len(commas) > 1:
                commas[key] = commas[key].replace(",", ".")
                self.form("decimal commas and points in one column", unclear=True)
        return commas

    def holes(self, items: Sequence[str], raters: Sequence[str]) -> dict[tuple[str, str], str]:
        """Return the places without a rating, and what stands there."""
        draw = self.draw
        keys = [(item, rater) for item in items for rater in raters]
        n = draw.randint(1, max(1, len(keys) // 5)) if self.likely(0.5) else 0
        if not n:
            return {}
        if self.likely(0.6):
            word = draw.choice(["", "", "NA", "nan", "NaN"])
            self.form("empty cells" if not word else "NA or nan")
            return dict.fromkeys(draw.sample(keys, n), word)
        words = draw.sample(_WORDS_FOR_NOTHING, min(n, draw.choice([1, 1, 2])))
        if self.likely(0.6):
            self.options["missing"] = words
            self.form("words for no rating, named")
        else:
            self.form("words for no rating, not named", unclear=True)
        return {key: draw.choice(words) for key in draw.sample(keys, n)}

    def spellings(self, texts: dict[tuple[str, str], str], kind: str) -> None:
        """At times write one label in two ways."""
        if kind != "nominal" or not self.likely(0.15):
            return
        ways: Sequence[tuple[str, Callable[[str], str]]] = (
            ("another letter case", str.upper), ("a letter taken apart", lambda t: unicodedata.normalize("NFD", t)),
            ("an invisible sign", lambda t: t[:1] + "\u200b" + t[1:]), ("wide letters", _wide),
            ("a space more", lambda t: t.replace(" ", "  ")),
        )  # fmt: skip
        name, write = self.draw.choice(ways)
        values = list(texts.values())
        often = [
            key
            for key, text in texts.items()
            if values.count(text) > 1 and write(text) != text and text not in ("", *_WORDS_FOR_NOTHING)
        ]
        if often and texts[often[0]].casefold() not in ("na", "nan"):
            texts[often[0]] = write(texts[often[0]])
            self.form(f"one label in two spellings: {name}", unclear=True)

    def laid_out(
        self, items: Sequence[str], raters: Sequence[str], texts: Mapping[tuple[str, str], str]
    ) -> tuple[list[str], list[list[str]], str]:
        """Return a header and rows: a rating per row, a column per rater, or a column per item."""
        draw = self.draw
        item_name, rater_name, value_name = draw.choice(_NAMES)
        orientation = draw.choice(["long", "long", "long", "wide", "transposed"])
        if orientation == "long":
            self.options |= {"item": item_name, "rater": rater_name, "value": value_name}
            header = [item_name, rater_name, value_name]
            rows = [[item, rater, text] for (item, rater), text in texts.items()]
            if self.likely(0.5):
                draw.shuffle(rows)
        elif orientation == "wide":
            self.options |= {"item": item_name, "wide": True}
            header = [item_name, *raters]
            rows = [[item, *(texts[item, rater] for rater in raters)] for item in items]
        else:
            self.options |= {"rater": rater_name, "transpose": True}
            titles = list(items)
            if self.likely(0.3) and not any("[" in item for item in items):
                titles = [f"How well does it fit? [{item}]" for item in items]
            header = [rater_name, *titles]
            rows = [[rater, *(texts[item, rater] for item in items)] for rater in raters]
        self.form(orientation)
        if self.likely(0.35) and orientation == "long":
            self.more_columns(header, rows)
        return header, rows, orientation

    def more_columns(self, header: list[str], rows: list[list[str]]) -> None:
        """Add columns that nobody asks for."""
        extra = self.draw.choice(["Zeitstempel", "comment", "Duration (in seconds)", "Status", ""])
        front = self.likely(0.5)
        for n, row in enumerate([header, *rows]):
            said = self.draw.choice(["", "fine", 'she said "no", then left', "two\nlines", "a; b", "3,5", "x | y"])
            cell = extra if n == 0 else said if extra == "comment" else str(n)
            row.insert(0 if front else len(row), cell)
        self.form("further columns")

    def written(self, header: list[str], rows: list[list[str]], orientation: str, truth: Truth) -> PeoplesTable:
        """Return the table in a file."""
        if self.likely(0.05):
            self.mixed_names(rows, orientation)
        if self.likely(0.18):
            return self.other_format(header, rows, truth)
        delimiter = self.weighted(_DELIMITERS)
        suffix = (
            self.draw.choice([".csv", ".csv", ".csv", ".txt"])
            if delimiter != "\t"
            else self.draw.choice([".tsv", ".csv", ".txt"])
        )
        self.form(f"delimiter {delimiter!r} in {suffix}")
        lines: list[list[str]] = [header, *rows]
        if self.likely(0.12):
            self.form("Qualtrics' header lines")
            questions = [f"Question {n}" if name else "" for n, name in enumerate(header)]
            lines[1:1] = [questions, [json.dumps({"ImportId": name or "x"}) for name in header]]
        elif self.likely(0.08):
            self.form("a second header line, not named", unclear=True)
            lines[1:1] = [[f"{name} " for name in header]]
        elif self.likely(0.08):
            self.form("header lines named")
            self.options["header_lines"] = 2
            lines[1:1] = [[f"Question {n}" for n in range(len(header))]]
        if self.likely(0.06) and len(rows) > 2:
            self.form("the header again in the middle")
            lines.insert(len(lines) // 2 + 1 if len(lines) > 6 else len(lines), list(header))
        if self.likely(0.08):
            self.form("empty columns at the end")
            lines = [line if n == 0 else [*line, "", ""] for n, line in enumerate(lines)]
        text = io.StringIO()
        ends = self.draw.choice(["\n", "\r\n"])
        quoting: Literal[0, 1] = csv.QUOTE_ALL if self.likely(0.15) else csv.QUOTE_MINIMAL
        writer = csv.writer(text, delimiter=delimiter, lineterminator=ends, quoting=quoting)
        if self.likely(0.08):
            self.form("title lines")
            writer.writerows(
                [[self.draw.choice(["Study of June", "Export", "Results of people"])] for _ in range(self.draw.choice([1, 2]))]
            )
        writer.writerows(lines)
        whole = text.getvalue()
        if self.likely(0.05):
            self.form("sep= line")
            whole = f"sep={delimiter}{ends}{whole}"
        if self.likely(0.3):
            self.form("blank lines at the end")
            whole += ends
        if self.likely(0.1):
            named = unicodedata.normalize("NFD", whole) != whole and self.options["scale"] != "nominal"
            self.form("all letters taken apart", unclear=named and "<" in self.options["scale"])
            whole = unicodedata.normalize("NFD", whole)
        return self.encoded(whole, f"table{suffix}", truth)

    def mixed_names(self, rows: list[list[str]], orientation: str) -> None:
        """Write one rater or item in two ways."""
        if orientation != "long" or len(rows) < 3:
            return
        row = self.draw.choice(rows)
        where = self.draw.choice([n for n, cell in enumerate(row) if len(cell) > 2] or [0])
        if row[where].upper() != row[where] and sum(other[where] == row[where] for other in rows) > 1:
            row[where] = row[where].upper()
            self.form("one name in two spellings", unclear=True)

    def encoded(self, text: str, name: str, truth: Truth) -> PeoplesTable:
        """Return the file in an encoding; what cannot be said in it is UTF-8."""
        code = self.weighted(_CODES)
        try:
            content = (b"\xfe\xff" if code == "utf-16-be" and self.likely(0.5) else b"") + text.encode(code)
        except UnicodeEncodeError:
            code, content = "utf-8", text.encode()
        beyond = {char for char in text if not char.isascii()}
        if code.startswith("utf-16"):
            # without a mark it is known by the zeros of ASCII letters
            plain = sum(char.isascii() for char in text) > 0.8 * len(text)
            marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
            self.form(code if marked else f"{code} without a mark", unclear=not marked and not plain)
        elif not code.startswith("utf-8") and beyond:
            if self.likely(0.5):
                self.options["encoding"] = code
                self.form(f"{code}, named")
            else:
                self.form(code, unclear=code != "cp1252" or not beyond <= _WESTERN)
        else:
            self.form("UTF-8" if beyond else "ASCII")
        return PeoplesTable(name, content, self.options, truth, tuple(self.forms), tuple(self.ambiguous))

    def other_format(self, header: list[str], rows: list[list[str]], truth: Truth) -> PeoplesTable:
        """Return the table as JSON, JSON lines, Parquet or Excel."""
        kind = self.draw.choice(["json", "jsonl", "xlsx", "xlsx", "parquet"])
        if len({*header}) < len(header):
            kind = "xlsx"
        self.form(kind)
        records = [dict(zip(header, row, strict=True)) for row in rows]
        if kind == "json":
            content = json.dumps(records, ensure_ascii=self.likely(0.5), indent=self.draw.choice([None, 1])).encode()
        elif kind == "jsonl":
            content = "\n".join(json.dumps(record) for record in records).encode()
        elif kind == "parquet":
            content = _parquet(header, rows)
        else:
            sheets = {"Sheet1": [header, *rows]}
            if self.likely(0.3):
                self.form("a sheet of notes beside")
                sheets["Notes"] = [["made in June"], ["by hand"]]
            content = workbook(sheets)
        return PeoplesTable(f"table.{kind}", content, self.options, truth, tuple(self.forms), tuple(self.ambiguous))


def truth_of(label: str) -> str:
    """Return a label as it is stored."""
    return label


def _wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def _parquet(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(pa.table({name: [row[n] for row in rows] for n, name in enumerate(header)}), out)
    return out.getvalue()


def run_tables(store: Store, seeds: Sequence[int], folder: Path) -> Tally:
    """Import the tables of these numbers, one after the other, compare what is stored with what they say, and take it back."""
    tally = Tally()
    for seed in seeds:
        table = draw_table(seed)
        tally.tables += 1
        tally.unambiguous += not table.ambiguous
        path = folder / table.name
        path.write_bytes(table.content)
        out = io.StringIO()
        try:
            context = Context(store, folder, out, io.StringIO())
            request = RatingRequest(new_items=True, **table.options)
            bundle = import_ratings(context, table.name, request, dry_run=seed % _STORED != 0)
        except (CommandError, InputError) as error:
            for problem in getattr(error, "problems", [str(error)]):
                check_message(problem)
            cause = cause_of(str(error))
            tally.refused[cause] += 1
            if not table.ambiguous:
                tally.refused_unambiguous[f"{cause}: seed {seed}, {', '.join(table.forms)}: {str(error)[:160]}"] += 1
            continue
        tally.read += 1
        tally.read_unambiguous += not table.ambiguous
        assert bundle is not None
        assert bundle.ratings is not None
        said = bundle.ratings.first(len(bundle.ratings)) if seed % _STORED else stored_judgements(store)
        stored = {
            _folded((item, rater)): fold_spelling(judgement.label) if judgement.label is not None else judgement.value
            for item, rater, judgement in said
        }
        expected = {_folded(key): fold_spelling(v) if isinstance(v, str) else v for key, v in table.truth.items()}
        if stored != expected and "is taken for a label" not in out.getvalue():
            other = [key for key in {*stored, *expected} if stored.get(key) != expected.get(key)]
            shown = [(key, expected.get(key), stored.get(key)) for key in other[:3]]
            tally.wrong.append(
                f"seed {seed}, {', '.join(table.forms)}, {table.options}: (item and rater, truth, stored) {shown}"
            )
        if seed % _STORED == 0:
            imports.undo(store, imports.listed(store)[-1].import_id)
    return tally


def stored_judgements(store: Store) -> list[tuple[str, str, Judgement]]:
    """Return what a project has: item, rater and judgement."""
    rows = store.query("select item_id, rater_id, aspect, label, value from judgements order by seq")
    return [(row["item_id"], row["rater_id"], Judgement(row["aspect"], row["label"], row["value"])) for row in rows]


def _folded(key: tuple[str, str]) -> tuple[str, str]:
    return fold_spelling(key[0]).casefold(), fold_spelling(key[1]).casefold()


def cause_of(message: str) -> str:
    """Return why a table was refused, without what is only this table's."""
    plain = re.sub(r"'[^']*'|\"[^\"]*\"", "…", message)
    plain = re.sub(r"^\S*table\.\w+:(\d+:)? ?", "", plain)
    return re.sub(r"\d[\d,.]*", "n", plain)[:70]
