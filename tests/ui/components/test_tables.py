"""A table as it is seen in Studio: whose texts are text, and which columns, names and links it has."""

from __future__ import annotations

import re

import htpy

from concord.common.confusion_table import Crossings, confusion_table
from concord.common.table import Cell, Column, Table, numbers
from ui.components.tables import CHOSEN, columns, plain_table, table_element, table_row
from ui.shell.html import rendered

HOSTILE = '"><img src=x onerror=alert(1)>'


def shown(table: Table) -> str:
    return rendered(table_element(table))


def test_nothing_of_a_table_but_its_content_is_html() -> None:
    cell = Cell(HOSTILE, (HOSTILE, HOSTILE), note=HOSTILE, href=f"/studio/images?{HOSTILE}")
    column = Column(HOSTILE, HOSTILE, number=True, detail=HOSTILE)
    table = shown(plain_table(HOSTILE, (HOSTILE, column), [(HOSTILE, cell), table_row(cell, HOSTILE)]))
    assert "<img" not in table
    assert set(re.findall(r"<([a-z]+)", table)) == {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "small", "a"}
    assert "<b>1</b>" in shown(plain_table("c", ("a", "b"), [("x", Cell("1", content=htpy.b["1"]))]))


def test_a_column_of_numbers_has_its_class_in_head_and_body() -> None:
    table = shown(plain_table("c", columns("name", *numbers("n")), [("x", "1"), ("y", Cell("open", kind="cc-text"))]))
    assert re.findall(r"<t[hd]\b[^>]*>", table) == [
        '<th scope="col">', '<th scope="col" class="cc-number">',
        '<th scope="row">', '<td class="cc-number">', '<th scope="row">', '<td class="cc-text">',
    ]  # fmt: skip


def test_the_row_that_is_open_says_so_to_screen_readers() -> None:
    table = shown(plain_table("c", ("a",), [("x",), table_row("y", kind=CHOSEN)]))
    assert table.count("<tr>") == 2
    assert '<tr class="cc-chosen" aria-current="true">' in table


def test_a_confusion_table_has_sums_shades_and_links() -> None:
    crossed = Crossings("m", "people", ("yes", "no"), [[3, 1], [0, 2]], {("yes", "yes"): 2})
    table = confusion_table("c", crossed, lambda a, b: f"/{a}/{b}")
    assert [column.title for column in table.columns] == ["m says", "yes", "no", "in all"]
    assert table.over == "people say"
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["yes", "3", "1", "4"], ["no", "0", "2", "2"], ["in all", "3", "3", "6"]
    ]  # fmt: skip
    first, second, none = table.rows[0].cells[1], table.rows[0].cells[2], table.rows[1].cells[1]
    assert (first.shade, first.agrees, first.href, first.details) == (1.0, True, "/yes/yes", ("2 images",))
    assert (second.shade, second.agrees, second.href, second.details) == (1 / 3, False, "/yes/no", ())
    assert (none.shade, none.href) == (None, "")
    assert '<th scope="colgroup" colspan="3">people say</th>' in shown(table)


def test_a_confusion_table_of_nothing_is_empty() -> None:
    assert [[cell.text for cell in row.cells] for row in confusion_table("c", Crossings("a", "b", (), ())).rows] == [
        ["in all", "0"]
    ]
