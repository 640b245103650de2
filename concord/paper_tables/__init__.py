"""The tables of the four papers, made of a project's own numbers: `export tables geneval|tifa|selfeval|visor`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

from agreement import Options
from concord.common.table import Table
from concord.paper_tables.geneval import geneval_tables
from concord.paper_tables.selfeval import selfeval_tables
from concord.paper_tables.tifa import tifa_tables
from concord.paper_tables.visor import visor_tables
from data.selection import Selection
from data.store.core.store import Store

Paper = Literal["geneval", "tifa", "selfeval", "visor"]

_MAKERS: Final[Mapping[Paper, Callable[[Store, Selection, Options], Iterator[Table]]]] = {
    "geneval": geneval_tables,
    "tifa": tifa_tables,
    "selfeval": selfeval_tables,
    "visor": visor_tables,
}
TITLES: Final[Mapping[Paper, str]] = {"geneval": "GenEval", "tifa": "TIFA", "selfeval": "SelfEval", "visor": "VISOR"}


def paper_tables(store: Store, paper: Paper, selection: Selection, options: Options) -> list[Table]:
    """Return a paper's tables of all suites that they can be made of; none where there is no such suite."""
    return list(_MAKERS[paper](store, selection, options))
