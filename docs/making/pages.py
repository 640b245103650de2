"""Every page: where it is, what its address holds, and its keys, the last from the scripts themselves."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final

from data.store.selection import Selection
from docs.making.blocks import ROOT, code, table
from docs.making.parameters import FILTERS, LISTING, PARAMETERS


@dataclass(frozen=True, slots=True)
class Page:
    """A page as the docs tell of it.

    Attributes:
        path: below the app's root.
        what: what it is for.
        also: what else its address takes besides ``parameters.PARAMETERS``, by name.
        keys: the script that holds its keys.
    """

    path: str
    what: str
    also: Mapping[str, str] = field(default_factory=dict)
    keys: str = ""


PAGES: Final[dict[str, Page]] = {
    "annotate": Page(
        "/annotate/",
        "The form for whoever labels: one item, its questions, all by keyboard ([guide](annotator.md)). People come to it by a"
        " link `/join/…`, by signing in, or, on this machine, by giving a name.",
        keys="assets/js/dialogs.js",
    ),
    "overview": Page(
        "/studio/",
        "What the project holds at a glance, and the score table: each generator and task by people and by every scorer, with"
        " intervals. An empty project says what to do.",
    ),
    "browse": Page(
        "/studio/browse", "All images, filtered, in a grid; the filters are the address.", keys="assets/js/browse/keys.js"
    ),
    "agreement": Page(
        "/studio/agreement",
        "How far raters agree: a matrix of all, people among themselves, scorers by people's certainty, against each other, and"
        " as decisions. Every filter of the command line works in the address, too.",
        FILTERS,
    ),
    "preferences": Page(
        "/studio/preferences",
        "A/B tests: whom people prefer, whom scorers would, strengths, side bias, and the pairs behind each number.",
    ),
    "matching": Page(
        "/studio/matching", "Image-text matching: accuracy against chance, votes, Winoground's scores, and images."
    ),
    "explore": Page(
        "/studio/explore",
        "Thresholds moved live, failure pictures, the flip test, and questions. The scorer's own settings are parameters, too,"
        " by their names ([settings](settings.md)).",
    ),
    "campaigns": Page("/studio/campaigns", "Campaigns: made, watched, invited to, and adjudicated ([guide](campaigns.md))."),
    "map": Page(
        "/studio/map",
        "The pictures by what an image-text model sees in them: alike ones lie near each other, and a line drawn around some"
        " leads to them in Browse. Its address also takes Browse's parameters, for which pictures.",
    ),
    "reports": Page(
        "/studio/reports", "A report made of a selection, in every format ([what is in it](exchange.md#the-report))."
    ),
    "runs": Page("/studio/runs", "Scorers' runs: start, stop, go on, remove; progress and log."),
    "workbench": Page(
        "/studio/workbench",
        "One image: what scorers saw on the left, the form on the right, what others said below. Its address also keeps the"
        " listing that it was opened from, by Browse's parameters, so that N and P go through it.",
        {"id": "The item.", "shown": "Whose values the grid had shown of it, which is recorded as uncovering it."},
        keys="assets/js/workbench/keys.js",
    ),
}
"""Every page by the name of its module."""
_KEYS: Final = re.compile(r"KEYS = \[\n(.*?)\n\];", re.DOTALL)
_KEY: Final = re.compile(r'^  \[\[(?P<keys>(?:"[^"]*"(?:, )?)+)\], "(?P<what>[^"]*)"', re.MULTILINE)
_NAMES_OF_LISTING: Final = re.compile(r"^(?:export )?const [A-Z]+ = \[(.*?)\];", re.MULTILINE)
_TUPLES: Final = ("ADDRESS", "_FILTERS", "_CHOSEN", "_OWN")
"""Under which names modules say what they read from the address."""
_SHOWN: Final = {"ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓"}


def modules() -> dict[str, ModuleType]:
    """The studio's pages as the code has them, by name."""
    import ui.pages

    found = {}
    for one in pkgutil.iter_modules(ui.pages.__path__):
        module = importlib.import_module(f"ui.pages.{one.name}")
        if hasattr(module, "build"):
            found[one.name] = module
    return found


def accepted(name: str) -> set[str]:
    """What a page's code reads from the address, as far as its modules name it in one of ``_TUPLES``."""
    page = modules().get(name)
    if page is None:
        return set()
    found: set[str] = set()
    for module in _within(page):
        for tuple_of in _TUPLES:
            found |= set(getattr(module, tuple_of, ()))
    if name in ("browse", "workbench"):
        from ui import addresses

        script = (ROOT / "assets/js/workbench/address.js").read_text(encoding="utf-8")
        found |= {one for part in _NAMES_OF_LISTING.findall(script) for one in re.findall(r'"(\w+)"', part)}
        found |= {"suite", "task", "generator", "view", *addresses.CROSSED, *addresses.RESTRICTING, *addresses.MARKED}
        found |= set(getattr(addresses, "FILTERED", ()))
    if name == "agreement":
        found |= set(Selection.__dataclass_fields__)
    return found


def _within(page: ModuleType) -> Iterator[ModuleType]:
    yield page
    for one in pkgutil.walk_packages(getattr(page, "__path__", ()), f"{page.__name__}."):
        yield importlib.import_module(one.name)


def told(name: str) -> dict[str, str]:
    """What the docs tell of a page's address."""
    if name in ("browse", "workbench"):
        known = accepted(name)
        return {key: what for key, what in LISTING.items() if key in known} | dict(PAGES[name].also)
    return PARAMETERS.get(name, {}) | dict(PAGES[name].also)


def present() -> dict[str, Page]:
    """The pages that this Concord has."""
    there = modules()
    return {name: page for name, page in PAGES.items() if name == "annotate" or name in there}


def keys_in(script: str) -> list[tuple[list[str], str]]:
    """Keys and what they do, from a script's list of them; empty: it has none."""
    path = ROOT / script
    found = _KEYS.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    rows = _KEY.finditer(found[1]) if found else ()
    return [([part.strip().strip('"') for part in row["keys"].split(", ")], row["what"]) for row in rows]


def scripts_with_keys() -> set[str]:
    """Every script that lists keys for people."""
    return {str(path.relative_to(ROOT)) for path in (ROOT / "assets").rglob("*.js") if keys_in(str(path.relative_to(ROOT)))}


def made() -> str:
    """All pages as Markdown."""
    return "\n\n".join(_page(name, page) for name, page in present().items())


def _page(name: str, page: Page) -> str:
    parts = [f"## {name.capitalize()}\n\n{code(page.path)}: {page.what}"]
    params = {key: what for key, what in told(name).items() if name != "workbench" or key not in LISTING}
    if params:
        parts.append(table(("in the address", "what it says"), ((code(key), what) for key, what in params.items())))
    if keys := keys_in(page.keys):
        parts.append(table(("keys", "what they do"), ((_caps(each), what) for each, what in keys)))
    return "\n\n".join(parts)


def _caps(keys: list[str]) -> str:
    return " ".join(code(_SHOWN.get(key, key.upper() if len(key) == 1 else key)) for key in keys)


def undocumented() -> list[str]:
    """What of the pages nobody has written of: pages, parameters, scripts with keys."""
    missing: list[Any] = [name for name in modules() if name not in PAGES]
    for name in present():
        missing += [f"{name}: {key}" for key in sorted(accepted(name) - set(told(name)))]
    return [*missing, *sorted(scripts_with_keys() - {page.keys for page in PAGES.values()})]
