"""Judgements as they stand in a project, of every kind that counts or does not, where raters' answers cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb

from data.store.core import rows
from data.store.core.store import Store

KINDS = {
    "ann": ("human", "person", False), "bob": ("human", "person", False), "cyd": ("human", "person", False),
    "slot 1": ("human", "slot", False), "sim 1": ("human", "person", True), "sim 2": ("human", "person", True),
    "m": ("scorer", None, False), "n": ("scorer", None, False), "all": ("consensus", None, False),
}  # fmt: skip
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    """One judgement, and what its annotation says of it (of a scorer's nothing)."""

    item: str
    rater: str
    label: str | None
    target: str | None = None
    aspect: str = "correct"
    reason: str | None = None
    status: str = "valid"
    saw: bool = False


def fill(store: Store, answers: Sequence[Said], scale: str = "nominal") -> None:
    """A project with these judgements and no others, as they stand; items are named ``SUITE/N``."""
    store.change(_empty)
    store.change(lambda connection: _fill(connection, answers, scale))


def _empty(connection: duckdb.DuckDBPyConnection) -> None:
    for name in ("items", "raters", "scales", "annotations", "judgements"):
        connection.execute(f"delete from {name}")
    connection.execute("insert into stale values (null)")


def _fill(connection: duckdb.DuckDBPyConnection, answers: Sequence[Said], scale: str) -> None:
    items = sorted({one.item for one in answers})
    suites = sorted({i.split("/")[0] for i in items})
    scales = {"correct": scale, "other": "nominal", "score": "interval"}
    people = [(n, one) for n, one in enumerate(answers) if KINDS[one.rater][0] == "human"]
    content: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
        "items": (
            "item_id suite task generator kind public_id",
            [(i, i.split("/")[0], f"t{i[-1]}", "g", "image", i) for i in items],
        ),
        "raters": ("rater_id kind identity simulated settings", [(name, *of, "{}") for name, of in KINDS.items()]),
        "scales": ("suite aspect scale", [(suite, *of) for suite in suites for of in scales.items()]),
        "annotations": (
            "annotation_id item_id rater_id questionnaire answers submitted status saw_evidence seq root_id",
            [(f"s{n}", one.item, one.rater, "q", "{}", NOW, one.status, one.saw, n, f"s{n}") for n, one in people],
        ),
        "judgements": (
            "item_id rater_id aspect target label reason source_id rule_version seq",
            [(o.item, o.rater, o.aspect, o.target, o.label, o.reason, f"s{n}", "1", n) for n, o in enumerate(answers)],
        ),
    }
    for name, (columns, values) in content.items():
        rows.insert(connection, name, [dict(zip(columns.split(), row, strict=True)) for row in values])


UGLY = (
    # both a yes and a no by people beside the scorer's no; bob's second answer does not count
    Said("s/1", "m", "no"), Said("s/1", "ann", "yes"), Said("s/1", "bob", "no"), Said("s/1", "bob", "yes"),
    # two of three say yes; who could not tell, came too late or had seen does not count
    Said("s/2", "m", "no"), Said("s/2", "ann", "yes"), Said("s/2", "bob", "yes"), Said("s/2", "cyd", "no"),
    Said("s/2", "slot 1", None, reason="cannot_tell"),
    Said("s/3", "m", "yes"), Said("s/3", "ann", "no", status="surplus"), Said("s/3", "bob", "no", saw=True),
    Said("s/3", "bob", "yes"), Said("s/3", "sim 1", "no"), Said("s/3", "sim 2", "no"),
    # targets are units of their own: m's no and people's yes are about different ones
    Said("s/4", "m", "no", "dog"), Said("s/4", "m", "yes", "cat"), Said("s/4", "ann", "no", "dog"),
    Said("s/4", "ann", "yes", "cat"), Said("s/4", "bob", "yes", "fox"),
    # a tie; nobody but a simulated person; another aspect; consensus; another suite
    Said("s/5", "m", "yes"), Said("s/5", "ann", "yes"), Said("s/5", "slot 1", "no"),
    Said("s/6", "m", "no"), Said("s/6", "sim 1", "yes"), Said("s/6", "all", "yes"),
    Said("s/7", "m", "no", aspect="other"), Said("s/7", "ann", "yes", aspect="other"), Said("s/7", "ann", "yes"),
    Said("r/1", "m", "no"), Said("r/1", "ann", "yes"),
)  # fmt: skip
