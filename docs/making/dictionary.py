"""The data dictionary: tables and columns from a new project's schema, what they mean from ``data.store.described``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from data.store.described import LEFT_OUT, SCHEMA
from docs.making.blocks import code, table


def schema() -> dict[str, dict[str, str]]:
    """Every table of a new project: its columns, in order, with their types."""
    from data.store.store import Store

    asked = (
        "select c.table_name, c.column_name, c.data_type from duckdb_columns() c join duckdb_tables() t using (table_name)"
        " where not c.internal order by c.table_name, c.column_index"
    )
    found: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store, store.read() as cursor:
        for name, column, kind in cursor.execute(asked).fetchall():
            found.setdefault(name, {})[column] = kind.lower()
    return found


def undocumented() -> list[str]:
    """Tables of which nobody tells, and columns of those that are described."""
    here = schema()
    missing = [name for name in here if name not in SCHEMA and name not in LEFT_OUT]
    for name, columns in here.items():
        if name in SCHEMA:
            missing += [f"{name}.{column}" for column in columns if not getattr(SCHEMA[name].columns.get(column), "text", "")]
    return missing


def made() -> str:
    """All tables as Markdown: those that a snapshot has, then the others."""
    here, parts = schema(), []
    for name, columns in here.items():
        if name in SCHEMA:
            parts.append(_table(name, columns))
    rows = ((code(name), ", ".join(code(one) for one in here.get(name, {})), why) for name, why in LEFT_OUT.items())
    parts.append("### Tables that stay in the project\n\n" + table(("table", "columns", "why"), rows))
    return "\n\n".join(parts)


def _table(name: str, columns: dict[str, str]) -> str:
    said = SCHEMA[name]
    rows = []
    for column, kind in columns.items():
        one = said.columns[column]
        told = one.text if one.kept else f"{one.text} (not in a snapshot: {one.why})"
        rows.append((code(column), kind, told))
    return f"### {name}\n\n{said.text[:1].upper()}{said.text[1:]}.\n\n{table(('column', 'type', 'what it holds'), rows)}"
