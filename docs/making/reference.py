"""Reference tables: the data dictionary, from a new project's schema, and the statistics of ``agreement.catalogue``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from agreement.catalogue import DEFINITIONS as DEFINED
from agreement.catalogue import NOTATION, ON_REQUEST, STATISTICS, Measure, Statistic
from data.store.core.schema import LEFT_OUT, SCHEMA
from docs.making.blocks import code, table


def schema() -> dict[str, dict[str, str]]:
    """Every table of a new project: its columns, in order, with their types."""
    from data.store.core.store import Store

    asked = (
        "select c.table_name, c.column_name, c.data_type from duckdb_columns() c join duckdb_tables() t using (table_name)"
        " where not c.internal order by c.table_name, c.column_index"
    )
    found: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store, store.read() as cursor:
        for name, column, kind in cursor.execute(asked).fetchall():
            found.setdefault(name, {})[column] = kind.lower()
    return found


def undocumented_tables() -> list[str]:
    """Tables of which nobody tells, and columns of those that are described."""
    here = schema()
    missing = [name for name in here if name not in SCHEMA and name not in LEFT_OUT]
    for name, columns in here.items():
        if name in SCHEMA:
            missing += [f"{name}.{column}" for column in columns if not getattr(SCHEMA[name].columns.get(column), "text", "")]
    return missing


def tables() -> str:
    """All tables as Markdown: those that a snapshot has, then the others."""
    here, parts = schema(), []
    for name, columns in here.items():
        if name in SCHEMA:
            parts.append(_table_of(name, columns))
    rows = ((code(name), ", ".join(code(one) for one in here.get(name, {})), why) for name, why in LEFT_OUT.items())
    parts.append("### Tables that stay in the project\n\n" + table(("table", "columns", "why"), rows))
    return "\n\n".join(parts)


def _table_of(name: str, columns: dict[str, str]) -> str:
    said = SCHEMA[name]
    rows = []
    for column, kind in columns.items():
        one = said.columns[column]
        told = one.text if one.kept else f"{one.text} (not in a snapshot: {one.why})"
        rows.append((code(column), kind, told))
    return f"### {name}\n\n{said.text[:1].upper()}{said.text[1:]}.\n\n{table(('column', 'type', 'what it holds'), rows)}"


_NO_PAIR: Final = "No unit has two ratings"
_ONE_LABEL: Final = "all ratings use a single label"
_SHARE: Final = f"{_NO_PAIR}; of two raters: they share no unit"
_CHANCE: Final = f"{_SHARE}; {_ONE_LABEL}"
_VARIES: Final = "Fewer than two units; one side is constant"
UNDEFINED: Final[dict[str, str]] = {
    "mean": "Nothing was judged",
    "percent_agreement": _SHARE,
    "percent_agreement_first_vs_rest": _NO_PAIR,
    "unanimous_share": _NO_PAIR,
    "majority_share": _NO_PAIR,
    "cohen_kappa": f"{_CHANCE}; among slots, which are no individuals: Fleiss' kappa, alpha and AC1 serve",
    "cohen_kappa_first_vs_rest": f"{_NO_PAIR}; {_ONE_LABEL}",
    "cohen_kappa_linear": f"{_CHANCE}; among slots",
    "cohen_kappa_quadratic": f"{_CHANCE}; among slots",
    "fleiss_kappa": f"{_NO_PAIR}; {_ONE_LABEL}",
    "gwet_ac1": f"{_SHARE}; the scale has a single label",
    "gwet_ac2": f"{_SHARE}; the scale has a single label",
    "pabak": f"{_SHARE}; the scale has a single label; among slots",
    "krippendorff_alpha_nominal": f"{_SHARE}; all ratings have the same value",
    "krippendorff_alpha_ordinal": f"{_SHARE}; all ratings have the same value",
    "krippendorff_alpha_interval": f"{_SHARE}; all ratings have the same value",
    "krippendorff_alpha_ratio": f"{_SHARE}; all ratings have the same value",
    "icc_1": f"{_NO_PAIR}; nothing varies",
    "icc_2": "Among slots; fewer than two persons, or than two units that all of them rated; nothing varies",
    "pearson": _VARIES,
    "spearman": _VARIES,
    "kendall_tau_b": _VARIES,
    "kendall_tau_c": _VARIES,
    "auc": "People's answers are all yes, or all no",
}
"""When each has no value."""
_MEASURES: Final = {
    "yes or no": Measure("nominal", numeric=False, binary=True, labels=2),
    "nominal": Measure("nominal", numeric=False, binary=False, labels=3),
    "ordinal": Measure("ordinal", numeric=True, binary=False, labels=5),
    "interval": Measure("interval", numeric=True, binary=False, labels=0),
}


def undocumented_statistics() -> list[str]:
    """Statistics that somebody computes and nobody tells of."""
    return [name for name in STATISTICS if name not in DEFINED or not UNDEFINED.get(name)]


def statistics() -> str:
    """All of them as Markdown."""
    parts = [NOTATION]
    parts += [_statistic(name, DEFINED[name]) for name in STATISTICS]
    return "\n\n".join(parts)


def _statistic(name: str, said: Statistic) -> str:
    among = [scale for scale, measure in _MEASURES.items() if name in measure.among()]
    two = [scale for scale, measure in _MEASURES.items() if name in measure.two_raters()]
    where = [f"among people: {', '.join(among) or 'no scale'}", f"of two raters: {', '.join(two) or 'no scale'}"]
    if name == "auc":
        where = ["a scorer's `score` beside people's yes or no"]
    asked = " Only on request (`--statistic`)." if name in ON_REQUEST else ""
    rows = [
        ("formula", said.formula),
        ("range", said.range),
        ("for", "; ".join(where)),
        ("undefined", UNDEFINED[name]),
        ("source", said.source),
    ]
    return f"### {said.title}\n\n{code(name)}: {said.meaning}{asked}\n\n{table(('', ''), rows)}"
