"""One table record: fields make its cells, and a terminal, Markdown and CSV show the same cells, each in its own way."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import pytest

from concord.common.table import (
    Cell,
    Column,
    Field,
    Table,
    TableRow,
    at_key,
    field,
    statistic_field,
    table_of,
    texts,
    without_empty_columns,
)
from concord.common.text_tables import aligned, csv_text, indented, markdown


@dataclass(frozen=True, slots=True)
class Score:
    rater: str
    value: float | None
    n: int
    remark: str | None = None


FIELDS: tuple[Field[Score], ...] = (
    field("rater", lambda score: score.rater),
    statistic_field("value", lambda score: score.value, "z.2f"),
    field("n", lambda score: score.n, ",", number=True),
    field("remark", lambda score: score.remark),
)
SCORES = [Score("clip", 1 / 3, 1234), Score("=dsg|x", None, 5)]


def test_a_field_rounds_for_readers_and_keeps_the_number_for_exports() -> None:
    table = table_of("Scores", FIELDS, SCORES)
    assert [cell.text for cell in table.rows[0].cells] == ["clip", "0.33", "1,234", ""]
    assert [cell.exact for cell in table.rows[0].cells] == [None, 1 / 3, 1234, None]
    # what is undefined is a dash, what is not there is empty
    assert [cell.text for cell in table.rows[1].cells] == ["=dsg|x", "-", "5", ""]


def test_a_terminal_aligns_the_columns() -> None:
    assert aligned(without_empty_columns(table_of("Scores", FIELDS, SCORES))) == [
        "rater   value  n",
        "clip    0.33   1,234",
        "=dsg|x  -      5",
    ]
    assert indented(texts("", ("a",), [["b"]])) == ["  a", "  b"]


def test_csv_has_numbers_in_full_and_no_formula() -> None:
    table = table_of("Scores", (FIELDS[0], field("value", lambda score: score.value, "z.2f"), *FIELDS[2:]), SCORES)
    head, clip, dsg = csv.reader(io.StringIO(csv_text(table)))
    assert head == ["rater", "value", "n", "remark"]
    assert (clip[0], float(clip[1]), clip[2]) == ("clip", 1 / 3, "1234")
    assert dsg == ["'=dsg|x", "", "5", ""]


def test_markdown_keeps_a_text_in_its_cell_and_sets_numbers_to_the_right() -> None:
    assert markdown(table_of("Scores", FIELDS[:3], [Score("a|b\nc", -0.001, 5)])) == [
        "| rater | value | n |",
        "| --- | --- | ---: |",
        "| a\\|b c | 0.00 | 5 |",
    ]


def test_marks_and_small_print_stand_behind_a_text() -> None:
    row = TableRow((Cell("–", mark="1"), Cell("0.5", ("0.4 to 0.6", "n = 3"))))
    table = Table("Scores", (Column("a"), Column("b")), (row,))
    assert markdown(table)[-1] == "| – (1) | 0.5 (0.4 to 0.6; n = 3) |"
    assert aligned(table)[-1] == "– (1)  0.5 (0.4 to 0.6; n = 3)"


def test_a_column_about_a_part_is_empty_where_a_record_has_no_such_part() -> None:
    table = table_of("Scores", at_key("kappa", FIELDS[0]), [{"kappa": SCORES[0]}, {"alpha": SCORES[1]}])
    assert [row.cells[0].text for row in table.rows] == ["clip", ""]


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="Scores: a row has 1 cells, but there are 2 columns"):
        texts("Scores", ("a", "b"), [["only"]])
