"""The house rules that code can check: imports run one way, SQL has one home, and nothing heavy comes along unasked."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("app", "ui", "concord", "scorers", "annotation", "agreement", "data", "tools")
MAY_IMPORT = {
    "data": {"data"},
    "agreement": {"agreement"},
    "annotation": {"annotation", "data"},
    "scorers": {"scorers", "data"},
    "concord": {"concord", "annotation", "scorers", "agreement", "data"},
    # of `data` and `agreement` no more than `RECORDS` says
    "ui": {"ui", "concord", "annotation", "scorers", "agreement", "data"},
    "tools": {"tools", "ui", "concord", "annotation", "scorers", "agreement", "data"},
}
WORKERS_ONLY = {"torch", "diffusers", "transformers", "ultralytics", "open_clip", "umap", "numba"}
HEAVY = ("torch", "gradio", "pandas", "duckdb", "numpy", "fastapi", "scipy", "PIL", "pyarrow")
SQL = re.compile(
    r"\b(select\b.+\bfrom|insert\s+into|delete\s+from|update\s+\w+\s+set|create\s+table)\b", re.IGNORECASE | re.DOTALL
)


def sources(*packages: str) -> list[Path]:
    return [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]


def imported(path: Path) -> Iterator[str]:
    """Names of modules that a file imports, wherever in the file; relative ones made absolute."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@cache
def roots(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_imports_run_one_way(package: str) -> None:
    paths = sources(package)
    assert paths
    wrong = {str(path.relative_to(ROOT)): names for path in paths if (names := (roots(path) & set(OURS)) - MAY_IMPORT[package])}
    assert wrong == {}


RECORDS = {
    "agreement": "the records that it returns, by name",
    "agreement.estimate": "an estimate",
    "agreement.flips": "names of groups",
    "agreement.generators": "differences of generators",
    "agreement.matching": "votes",
    "agreement.meta.alternative_annotator": "findings",
    "agreement.meta.estimates": "findings, options",
    "agreement.meta.labelled_sample": "a target's names",
    "agreement.meta.planning": "findings",
    "agreement.meta.ranking": "findings",
    "agreement.meta.rater_effects": "findings",
    "agreement.meta.units": "findings",
    "agreement.preferences": "counts and strengths",
    "agreement.questions": "statistics of groups",
    "agreement.questions.people": "names of groups",
    "agreement.report.ceiling": "margins",
    "agreement.report.scorer_vs_scorer": "a test's cells",
    "agreement.study.cells": "names of cells",
    "agreement.thresholds": "agreement along thresholds",
    "data.aspects": "aspects and their labels",
    "data.browsing": "filters and previews",
    "data.campaigns.recruitment": "fields",
    "data.campaigns.settings": "campaigns and their settings",
    "data.export": "names of formats",
    "data.export.rows": "columns",
    "data.records": "prompts, images, answers, evidence",
    "data.refusals": "errors",
    "data.remarks": "notes, verdicts and tags",
    "data.selection": "filters of judgements",
}
"""The modules of `data` and `agreement` whose classes and constants `ui` may use, and what they are; never their functions."""
CATALOGUE = {
    "agreement.catalogue": "what each statistic is",
    "data.export.formats": "how a table becomes a file",
    "data.backup_schedule": "how often backups are made, and how many stay",
    "data.cache": "what is kept by a file's stamp",
    "data.files": "how a file is written whole",
    "data.images.widths": "the widths of pictures",
    "data.people": "roles, invitations, pseudonyms, keyed hashes",
    "data.prompts.flips": "kinds of flips",
    "data.requests": "how a request is declared",
    "data.version": "the version of Concord",
}
"""The modules of which `ui` may use all."""
SERVER_START = "ui/web/server.py"
"""The one module of `ui` that opens a project, and so knows the database."""
OF_OPEN_PROJECT = {"project", "version", "secret", "notes"}
"""What `ui` may ask an open project itself; all else it asks `concord`."""
IN_PAGES = {
    "ui/pages/images.py": {
        "data.selection",
        "data.store.analysis.confusion",
        "data.store.browse.contents",
        "data.store.browse.filters",
        "data.store.browse.grid",
        "data.store.core.store",
    },
    "ui/pages/captions.py": {"data.store.judgements.scorer_evidence"},
    "ui/pages/failures/failure_marks.py": {"agreement.inference.intervals", "data.formats.cooccurrence"},
    "ui/pages/failures/pictures.py": {"agreement.estimates", "data.formats.cooccurrence"},
    "ui/pages/failures/questions.py": {"agreement.questions.scores"},
    "ui/pages/tune/flips.py": {"agreement.tuning"},
    "ui/pages/tune/__init__.py": {"agreement.tuning"},
    "ui/pages/results/all_numbers.py": {"agreement.preferences.votes"},
    "ui/pages/results/vote_bars.py": {"agreement.preferences.votes"},
    "ui/pages/results/vote_pairs.py": {"data.store.analysis.study_frames"},
    "ui/pages/results/vote_view.py": {"agreement.preferences.votes"},
    "ui/pages/results/votes.py": {"agreement.preferences.votes"},
    "ui/pages/report/paper_check.py": {"data.studies.printed_numbers"},
}
"""What pages still take past the door, by file: the list may only shrink."""


def past_the_door(path: Path) -> set[str]:
    """Return the modules and functions of `data` and `agreement` that a file of `ui` uses beyond records and catalogue."""
    known = modules()
    astray = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            full = f"{module}.{alias.name}".removeprefix(".")
            source = full if full in known else module
            if source.partition(".")[0] not in ("data", "agreement") or source in CATALOGUE:
                continue
            if source not in RECORDS or full == source:
                astray.add(source)
            elif alias.name in functions_of(known[source]):
                astray.add(full)
    return astray


@cache
def functions_of(path: Path) -> set[str]:
    """Names of functions that a module has or hands on."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    handed_on = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return own | {name for name in handed_on if name[0].islower()}


def questions_to_the_store(path: Path) -> set[str]:
    """Return what a file asks a variable or an attribute called `store`, beyond what an open project tells itself."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and ast.unparse(node.value).rpartition(".")[2] in ("store", "_store")
        and node.attr not in OF_OPEN_PROJECT
    }


def test_concord_is_the_door_to_the_project() -> None:
    """Pages, routes and commands take functions from `concord`, of the rest records and catalogue, and no store."""
    paths = {str(path.relative_to(ROOT)): path for path in sources("ui")}
    astray = {name: found for name, path in paths.items() if name != SERVER_START and (found := past_the_door(path))}
    assert {name: found for name, found in astray.items() if not name.startswith("ui/pages/")} == {}
    assert {name: found for name, found in astray.items() if name.startswith("ui/pages/")} == IN_PAGES
    assert "data.store.core.store" in past_the_door(paths[SERVER_START])
    asked = {name: found for name, path in paths.items() if name != SERVER_START and (found := questions_to_the_store(path))}
    assert asked == {}


def test_what_goes_past_the_door_is_found(tmp_path: Path) -> None:
    file = tmp_path / "page.py"
    file.write_text(
        "from agreement import Estimate, build\nfrom data.store import library\nimport data.store.core.rows\n"
        "def f(store):\n    from data.jobs.runs import RunFolder\n    return store.query('x'), store.version\n"
    )
    assert past_the_door(file) == {"agreement.build", "data.store.library", "data.store.core.rows", "data.jobs.runs"}
    assert questions_to_the_store(file) == {"query"}


def test_the_database_has_one_home() -> None:
    outside = [path for path in [ROOT / "app.py", *sources(*OURS[1:])] if (ROOT / "data" / "store") not in path.parents]
    assert len(outside) > 20
    assert [path for path in outside if "duckdb" in roots(path)] == []
    texts = {
        (str(path.relative_to(ROOT)), node.lineno): node.value
        for path in outside
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value)
    }
    assert texts == {}
    inside = "".join(path.read_text(encoding="utf-8") for path in sources("data/store"))
    assert SQL.search(inside)


def test_the_server_never_imports_what_workers_do() -> None:
    assert [
        path
        for path in [ROOT / "app.py", *sources("ui", "concord", "data", "annotation", "agreement")]
        if roots(path) & WORKERS_ONLY
    ] == []


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_help_is_light() -> None:
    code = f"""
import sys, typer
from typer.testing import CliRunner
from app import app
def walk(command, words):
    yield words
    for name, below in getattr(command, "commands", {{}}).items():
        yield from walk(below, [*words, name])
every = list(walk(typer.main.get_command(app), []))
for words in every:
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0 and "--help" in done.stdout, (words, done.output)
print(len(every), [name for name in {HEAVY!r} if name in sys.modules])
"""
    count, heavy = run(code).split(" ", 1)
    assert int(count) >= 12
    assert heavy == "[]\n"


def test_the_app_starts_without_torch(tmp_path: Path) -> None:
    """Nor does it wait for what takes seconds to load, and is needed later or never."""
    late = sorted({*WORKERS_ONLY, "inflect", "scipy"})
    code = f"""
import sys
from pathlib import Path
from data.store.core.store import Store
from ui.web.server import create_app
with Store(Path({str(tmp_path)!r})) as store:
    create_app(store, "x")
print([name for name in {late!r} if name in sys.modules], "gradio" in sys.modules)
"""
    assert run(code) == "[] True\n"


def test_the_playground_is_filled_without_pandas() -> None:
    """It takes a second to load, on a slow machine three, and neither scales nor what scorers saw need it."""
    code = """
import sys
import concord.importing.playground
from data.jobs.runs import RunFolder
from data.playground.sample import FOLDER
seen = RunFolder(next(FOLDER.glob("runs/*"))).read_part(0)
print(len(seen) > 0, "pandas" in sys.modules)
"""
    assert run(code) == "True False\n"


# written as an address, and neither a route's own path nor a name for `at` to complete
ADDRESS = re.compile(r"""["'`(]/(?:api|img|assets|annotate|studio|login|join)(?:/|["'`?])""")
NO_ADDRESS = re.compile(
    r"""\bat\(|prefix=|\.(?:get|post)\("|startswith\(|^\s*(?://|/\*\*|#|\*|\"\"\")|^[A-Z_]+(?:: Final)? = "/"""
)


def test_addresses_are_made_in_one_place() -> None:
    """A proxy may serve the app below a prefix: `at()` puts it before paths that browsers are to ask for."""
    doors = ("middleware.py", "server.py")
    ours = [path for path in sources("ui") if path.parent.name != "auth" and path.name not in doors]
    scripts = [*(ROOT / "assets" / "js").rglob("*.js")]
    results = [
        (str(path.relative_to(ROOT)), number, line.strip())
        for path in (*ours, *scripts)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if ADDRESS.search(line) and not NO_ADDRESS.search(line) and "``" not in line
    ]
    assert results == []
    assert len(scripts) > 10


PRODUCT = [ROOT / "app.py", *sources(*OURS[1:], "benchmarks", "docs")]
RETIRED = frozenset(
    [
        "asked",
        "told",
        "said",
        "kept",
        "seen",
        "heard",
        "found",
        "shown",
        "one",
        "ones",
        "place",
        "places",
        "standing",
        "thing",
        "things",
    ]
)
TERMS = ("leave_one_out", "LeaveOneOut", "one_hot", "one_sided", "OneWay", "one_way", "place", "Place")
"""Terms of the field that hold a retired word."""


def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    names = {path: path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in [*sources(*OURS[1:])]}
    return {name.removesuffix(".__init__"): path for path, name in names.items()}


@cache
def import_graph() -> dict[str, set[str]]:
    """Which modules a module imports, inside functions too, and for type checkers alone: a reader follows these as well."""
    known = modules()
    graph = {}
    for name, path in known.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        targets = {f"{node.module}.{alias.name}" for node in imports for alias in node.names} | {
            str(node.module) for node in imports
        }
        # `from package import module` imports the module; the package itself only where a name of it is taken
        taken = {f"{node.module}.{alias.name}" for node in imports for alias in node.names} & set(known)
        direct = {
            str(node.module) for node in imports if any(f"{node.module}.{alias.name}" not in known for alias in node.names)
        }
        graph[name] = ((taken | direct) & targets & set(known)) - {name}
    return graph


def cycle_in(graph: dict[str, set[str]]) -> list[str]:
    """A cycle, as names in order; empty if there is none."""
    done: set[str] = set()
    path: list[str] = []

    def visit(name: str) -> list[str]:
        if name in path:
            return path[path.index(name) :]
        if name in done:
            return []
        path.append(name)
        for target in sorted(graph.get(name, ())):
            if cycle := visit(target):
                return cycle
        path.pop()
        done.add(name)
        return []

    return next((cycle for name in sorted(graph) if (cycle := visit(name))), [])


def test_no_module_imports_in_a_circle() -> None:
    graph = import_graph()
    assert len(graph) > 200
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert cycle_in(graph) == []


def test_no_rooms_import_in_a_circle() -> None:
    """The modules and packages that lie side by side in a package depend on one another one way."""
    graph = import_graph()
    packages = {name for name, path in modules().items() if path.name == "__init__.py"}
    for package in sorted(packages):
        prefix = f"{package}."
        rooms: dict[str, set[str]] = {}
        for name, targets in graph.items():
            for target in targets:
                if name.startswith(prefix) and target.startswith(prefix):
                    room, other = (module.removeprefix(prefix).split(".")[0] for module in (name, target))
                    if room != other:
                        rooms.setdefault(room, set()).add(other)
        assert cycle_in(rooms) == [], package


def test_the_house_stays_one_that_a_stranger_can_overlook() -> None:
    folders: dict[Path, int] = {}
    classes: dict[str, list[str]] = {}
    retired = []
    for path in PRODUCT:
        folders[path.parent] = folders.get(path.parent, 0) + 1
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(path.name)
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                words = {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", node.name)}
                if words & RETIRED and not any(term in node.name for term in TERMS):
                    retired.append(node.name)
    # more than in the second edition of the house: each feature since is a module or two of its own, and so are the one table,
    # the one estimate and the sentences, whose twins lay inside of other modules, and the shell's small modules; and what
    # routes and the report asked the store for, in modules of `concord` by subject (form, browsing, inspection, reporting); and
    # each published study in a module of its own
    assert len(PRODUCT) < 705
    assert {folder: count for folder, count in folders.items() if count > 21} == {}
    assert len([name for name, files in classes.items() if len(files) > 1]) < 10
    assert len(retired) < 10, retired


TAG = re.compile(
    r"</?(?:a|article|aside|b|body|br|button|caption|code|dd|details|div|dl|dt|em|figcaption|figure|footer|form|h[1-6]|head|header"
    r"|html|i|iframe|img|input|label|li|link|main|meta|nav|ol|option|p|pre|progress|script|section|select|small|span|strong|style"
    r"|summary|svg|table|tbody|td|textarea|tfoot|th|thead|time|title|tr|ul)(?=[\s/>]|$)"
)
MAY_HAVE_TAGS = {
    "ui/components/charts.py": "Plotly's own two tags in the texts of a figure",
    "ui/shell/html.py": "Gradio's template of a JavaScript module, with no text in it",
    "ui/web/middleware.py": "a style sheet that is put into Gradio's own page, with no text in it",
}
"""The modules of `ui`, `concord` and `agreement` that have HTML as text, and why."""


def html_in(tree: ast.AST) -> list[str]:
    """Texts that hold a tag of HTML's, but for docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    texts = [
        node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and id(node) not in docstrings
    ]
    return [text for text in texts if TAG.search(text)]


def escapes_in(tree: ast.AST) -> int:
    """Return how often HTML is escaped by hand."""
    escaping = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("html", "markupsafe")
        for alias in node.names
        if alias.name == "escape"
    }
    called = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return len([name for name in called if name in escaping | {"html.escape", "markupsafe.escape"}])


def generators_in(tree: ast.AST) -> list[int]:
    """Lines with a generator as a child of an element: it is empty when the element is rendered a second time."""

    def children(node: ast.expr) -> Iterator[ast.expr]:
        yield node
        for child in node.elts if isinstance(node, (ast.Tuple, ast.List)) else ():
            yield from children(child)

    once = ("map", "filter", "zip", "reversed", "iter")
    return [
        child.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and "htpy." in ast.unparse(node.value)
        for child in children(node.slice)
        if isinstance(child, ast.GeneratorExp)
        or (isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in once)
    ]


def test_html_is_made_of_elements_and_escaped_by_them() -> None:
    trees = {
        str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sources("ui", "concord", "agreement")
    }
    assert {name for name, tree in trees.items() if html_in(tree)} == MAY_HAVE_TAGS.keys()
    assert {name for name, tree in trees.items() if escapes_in(tree)} == set()
    assert {name: lines for name, tree in trees.items() if (lines := generators_in(tree))} == {}


def test_the_search_for_html_finds_it() -> None:
    html = 'x = f"<li class={a}>{escape(b)}</li>" + "</td>"'
    found = ast.parse(f'"""<p>"""\nfrom html import escape\n{html}\ny = "<low" + "a <b" + "<path to it>"')
    assert sorted(html_in(found)) == ["</li>", "</td>", "<li class=", "a <b"]
    assert escapes_in(found) == 1
    assert escapes_in(ast.parse("def f(escape): return escape(html.escape(x))")) == 1
    joined = "htpy.ul(class_='x')[(htpy.li[n] for n in a)]\nhtpy.p['a', [map(f, b)]]\nhtpy.p[[f(x) for x in y], rows[g(z)]]"
    assert generators_in(ast.parse(joined)) == [1, 2]


def test_one_class_is_a_table() -> None:
    tables = {
        f"{path.relative_to(ROOT)}:{node.name}"
        for path in sources("ui", "concord", "agreement")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and node.name.endswith("Table")
        and any(isinstance(line, ast.AnnAssign) and ast.unparse(line.target) == "rows" for line in node.body)
    }
    assert tables == {"concord/common/table.py:Table"}


PRODUCT_AND_TESTS = [*PRODUCT, *sources("tests")]
VERBS = frozenset(
    [
        "add",
        "ask",
        "build",
        "check",
        "collect",
        "compare",
        "count",
        "describe",
        "explain",
        "fetch",
        "fill",
        "find",
        "fold",
        "gather",
        "get",
        "list",
        "load",
        "log",
        "make",
        "parse",
        "read",
        "record",
        "refuse",
        "reject",
        "remove",
        "rename",
        "replace",
        "report",
        "set",
        "show",
        "start",
        "stop",
        "take",
        "warn",
        "write",
    ]
)


def test_no_file_calls_a_module_by_two_names() -> None:
    doubled = []
    for path in PRODUCT_AND_TESTS:
        names: dict[str, set[str]] = {}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                module = "" if isinstance(node, ast.Import) else f"{'.' * node.level}{node.module or ''}."
                for alias in node.names:
                    names.setdefault(f"{module}{alias.name}", set()).add(alias.asname or alias.name)
        doubled += [(str(path.relative_to(ROOT)), name, called) for name, called in names.items() if len(called) > 1]
    assert doubled == []


def test_no_loop_variable_is_named_like_a_function() -> None:
    """A wide search and replace once left `for warn_of_typos in ...` behind."""
    accidents = [
        (str(path.relative_to(ROOT)), name.lineno, name.id)
        for path in PRODUCT_AND_TESTS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension))
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name) and (words := name.id.strip("_").split("_"))[0] in VERBS and len(words) > 1
    ]
    assert accidents == []


def test_javascript_classes_are_named_as_their_files() -> None:
    scripts = sorted((ROOT / "assets" / "js").rglob("*.js"))
    classes = {
        path: re.findall(r"^(?:export )?(?:default )?class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        for path in scripts
    }
    astray = {
        str(path.relative_to(ROOT)): names
        for path, names in classes.items()
        if names and "".join(word.capitalize() for word in path.stem.split("_")) not in names
    }
    assert sum(map(bool, classes.values())) > 20
    assert astray == {}


BORDERS = {
    "ui/web/middleware.py": "ASGI's scopes, messages and headers",
    "ui/web/upload_guard.py": "JSON bodies of Gradio's requests, ASGI's messages",
    "ui/web/auth/sessions.py": "the cookie's dictionary, ASGI's scopes",
    "ui/web/auth/authorization.py": "ASGI's scopes",
    "ui/web/server.py": "FastAPI's errors of validation",
    "ui/web/assets.py": "groups of regular expressions",
    "ui/web/texts.py": "groups of regular expressions",
    "concord/browsing/listing.py": "parameters of addresses",
    "concord/common/machine.py": "pyproject.toml",
    "concord/importing/image_trees.py": "cells of a table of images",
    "concord/new_campaigns/drafting.py": "values of a form, which are a request's only once they are sound",
}
"""The modules that read foreign dictionaries by nature, and whose."""
MOST_READS, MOST_READS_IN_PAGES = 150, 217
"""Reads of a field by its name as text; in pages, which are rebuilt, the number may only shrink."""


def reads_by_name(tree: ast.AST) -> list[int]:
    """Return the lines that read a field by its name as a text: a subscript, `.get`, `getattr`, `itemgetter` or a pattern.

    Not counted are subscripts of elements (`htpy.p["text"]`), routes and addresses (`router.get("/items")`), and annotations.
    """

    def is_name(node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.startswith("/")

    annotations = {
        id(below)
        for node in ast.walk(tree)
        for hint in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if isinstance(hint, ast.AST)
        for below in ast.walk(hint)
    }
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            counts = (
                is_name(node.slice)
                and not re.match(r"(htpy\.|Literal$)", ast.unparse(node.value))
                and id(node) not in annotations
            )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            counts = node.func.attr in ("get", "pop", "itemgetter") and bool(node.args) and is_name(node.args[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names = node.args[1:2] if node.func.id == "getattr" else node.args if node.func.id == "itemgetter" else []
            counts = any(map(is_name, names))
        else:
            counts = isinstance(node, ast.MatchMapping)
        if counts and isinstance(node, (ast.Subscript, ast.Call, ast.MatchMapping)):
            lines.append(node.lineno)
    return lines


def test_rows_are_records() -> None:
    """A number walks in one record from where it is made to where it is shown: nobody reads `row["value"]`."""
    reads = {
        str(path.relative_to(ROOT)): len(reads_by_name(ast.parse(path.read_text(encoding="utf-8"))))
        for path in sources("ui", "concord", "agreement")
    }
    pages = {name: count for name, count in reads.items() if name.startswith("ui/pages/")}
    others = {name: count for name, count in reads.items() if name not in pages and name not in BORDERS}
    assert all(reads[name] for name in BORDERS)
    assert sum(others.values()) < MOST_READS, sorted(others.items(), key=lambda each: -each[1])[:10]
    assert sum(pages.values()) <= MOST_READS_IN_PAGES, sorted(pages.items(), key=lambda each: -each[1])[:10]


def test_reads_by_name_are_found() -> None:
    code = (
        'a["x"]\na.get("y")\ngetattr(a, "z")\nitemgetter("x")\nmatch a:\n    case {"x": 1}:\n        pass\na.pop("x", None)\n'
    )
    assert sorted(reads_by_name(ast.parse(code))) == [1, 2, 3, 4, 6, 8]
    assert reads_by_name(ast.parse('htpy.p["x"]\nrouter.get("/x")\na: Mapping["x", int]\na[0]\na[name]\n')) == []


SAID_NAMES = frozenset(
    ["reason", "reasons", "verdict_reason", "others_reason", "refusal", "method", "note", "words", "how", "why", "unsure"]
)
"""Names of variables, attributes, keys and functions that hold a sentence of ours."""
SAID_BY_OTHERS = {
    "concord/importing/readings.py": "what an import finds is read from the lines that the command prints",
    "concord/runs/run_details.py": "the error of a run is stored as the text that its worker wrote",
}
"""Files that test a text for want of anything else, each with what they read."""
TEXTS_OF_AGREEMENT = {
    "agreement/catalogue.py": "definitions of the statistics",
    "agreement/suite_metrics/catalogue.py": "definitions of the suites' metrics",
    "agreement/visor_study.py": "names of columns in the study's files",
}
"""Files of `agreement` that hold texts, each with what these are."""
UNITS = frozenset(["wrong answers"])
"""Units that numbers count, as JSON names them."""
SENTENCES = ("reason_sentences", "wording")
"""Modules whose functions return sentences."""


_WORDS = re.compile(r"[A-Za-z]+[,;:]?\s+[A-Za-z]+")


def has_words(node: ast.AST) -> bool:
    """Return True if a literal has two words or more, one after the other."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and _WORDS.search(node.value) is not None


def is_sentence(node: ast.AST) -> bool:
    """Return True if an expression is a sentence of ours, by its name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=name)):
            return name in SAID_NAMES
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=name), *_]):
            return name in SAID_NAMES
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=function)):
            return module in SENTENCES and function not in (
                "count",
                "percent",
                "two",
                "duration",
                "task",
                "plain_aspect",
                "reason",
            )
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return is_sentence(inner)
        case ast.BoolOp(values=values):
            return any(map(is_sentence, values))
    return False


def edited_sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield each place where a sentence is edited, taken apart or tested by what it says: line and expression."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=edit), args=args) if edit in EDITS:
                literal = any(isinstance(arg, (ast.Constant, ast.JoinedStr)) for arg in args)
                found = any(map(has_words, args)) or (literal and any(map(is_sentence, [value, *args])))
            case ast.Compare(left=left, comparators=others):
                sides = [left, *others]
                found = any(map(has_words, sides)) and not any(isinstance(side, ast.Call) for side in sides)
                found = found or (any(map(is_sentence, sides)) and any(map(has_words, sides)))
            case _:
                found = False
        if found:
            yield getattr(node, "lineno", 0), ast.unparse(node)


EDITS = frozenset(
    ["replace", "sub", "partition", "rpartition", "removeprefix", "removesuffix", "startswith", "endswith", "search", "match"]
)


def test_no_sentence_of_ours_is_edited_or_tested_by_what_it_says() -> None:
    """Codes and parameters decide (`agreement.reasons`); a sentence is only ever printed."""
    samples = {
        'reason.replace("people", "others")': 1,
        're.sub("people|scorer", "x", outcome.reason)': 1,
        '"no interval" in row["method"]': 1,
        'line.verdict_reason == "no verdict, as it saw these labels"': 1,
        '" match an image of " in line': 1,
        'wording.verdict(x).replace("people", "theirs")': 1,
        'row["method"] == "ppi"': 0,
        'wording.task(name).replace("_", " ")': 0,
        're.search("([0-9]+) of ([0-9]+) images read", text)': 1,
    }
    assert {code: len(list(edited_sentences(ast.parse(code)))) for code in samples} == samples
    found = {
        f"{path.relative_to(ROOT)}:{line}": code
        for path in sources("ui", "concord", "agreement")
        for line, code in edited_sentences(ast.parse(path.read_text(encoding="utf-8")))
        if str(path.relative_to(ROOT)) not in SAID_BY_OTHERS
    }
    assert found == {}


def sentences_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Texts of several words, with their lines, that are neither docstrings nor the message of an exception."""
    passed = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for made in ast.walk(tree):
        if isinstance(made, ast.Raise) or (isinstance(made, ast.Call) and ast.unparse(made.func).endswith("Error")):
            passed |= {id(node) for node in ast.walk(made)}
    for node in ast.walk(tree):
        if id(node) not in passed and has_words(node) and isinstance(node, ast.Constant):
            yield node.lineno, str(node.value)


def test_agreement_makes_codes_and_no_sentences() -> None:
    """Texts of several words in `agreement` are docstrings, messages of exceptions, or definitions of the catalogue."""
    assert list(sentences_in(ast.parse('x = "no interval: one prompt"'))) == [(1, "no interval: one prompt")]
    assert list(sentences_in(ast.parse('"""What it does."""\nraise ValueError("it is wrong")'))) == []
    found = {
        f"{path.relative_to(ROOT)}:{line}": text
        for path in sources("agreement")
        if str(path.relative_to(ROOT)) not in TEXTS_OF_AGREEMENT
        for line, text in sentences_in(ast.parse(path.read_text(encoding="utf-8")))
        if text not in UNITS
    }
    assert found == {}


LONG: int = 60
"""Lines: of a shorter module nobody looks for the tests."""


def mirrors(path: Path) -> list[Path]:
    """Return the test files that are a module's own: ``test_NAME.py``, or ``test_NAME_ASPECT.py``."""
    named = path.parent if path.name == "__init__.py" else path.with_suffix("")
    room = ROOT / "tests" / named.parent.relative_to(ROOT)
    return [*room.glob(f"test_{named.name}.py"), *room.glob(f"test_{named.name}_*.py")]


def room_tests() -> dict[str, list[str]]:
    """Return the table of docs/CONTRIBUTING.md: for each room the tests of its modules that no test imports."""
    text = (ROOT / "docs" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|$", text.partition("### Tests by room")[2], re.MULTILINE)
    return {room.strip("`"): re.findall(r"`([^`]+)`", tests) for room, tests in rows}


def test_the_tests_of_every_module_can_be_found() -> None:
    """By its name, by what imports it, or by its room in the table of docs/CONTRIBUTING.md."""
    imports = {name for path in (ROOT / "tests").rglob("test_*.py") for name in imported(path)}
    rooms: dict[str, list[str]] = {}
    for name, path in modules().items():
        text = path.read_text(encoding="utf-8")
        has_logic = any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) for node in ast.walk(ast.parse(text)))
        if has_logic and text.count("\n") > LONG and name not in imports and not mirrors(path):
            rooms.setdefault(path.parent.relative_to(ROOT).as_posix(), []).append(path.name)
    table = room_tests()
    lost = {room: names for room, names in rooms.items() if room not in table}
    assert lost == {}, "give these modules a test file, or their room a line in docs/CONTRIBUTING.md, Tests by room"
    assert [room for room in table if room not in rooms] == []
    assert [test for tests in table.values() for test in tests if not (ROOT / test).exists()] == []


LASTING = {
    "scorers/registry.py: _load_file": "a module is imported once in a process",
    "scorers/models/devices.py: _threads": "a pool of threads of each kind",
    "scorers/models/detectors/mask2former.py: _normalisation": "two tensors of each device",
}
"""The functions with arguments that `functools.cache` keeps for as long as a process runs, and why they are no caches."""
REGISTERS = {
    "concord/common/live_updates.py: _page_versions": "whose pages move at a pace of their own",
    "concord/importing/readings.py: _READINGS": "what was brought and waits to be stored, of each open project",
    "concord/maps.py: _workers": "processes that make maps",
    "concord/runs/generate.py: _names": "names of runs that are being begun",
    "concord/runs/model_downloads.py: _downloads": "downloads of models that are under way",
    "concord/runs/queue.py: _line": "runs that wait for their turn",
    "data/store/backup/scheduler.py: _states": "backups that are made by themselves",
    "data/store/browse/index_refresh.py: _in_background": "projects that a thread looks after",
    "data/store/browse/index_refresh.py: _outdated_readers": "projects whose readers are to look again",
    "data/store/browse/index_refresh.py: _refreshing": "a lock of each project",
    "data/store/campaign_items.py: _listings": "the results of each writing connection, which is no `Store`",
    "ui/report/made_reports.py: _reports": "reports that can be downloaded",
    "ui/shell/drawing_pace.py: _paces": "threads that draw",
    "ui/shell/followed_versions.py: _followed": "versions that browsers may ask for",
}
"""What a module keeps in a collection that grows, and what it registers: a handle, a lock or a job, but no value."""
EMPTY = re.compile(
    r"\{\}|\[\]|(\w+\.)*(dict|list|set|OrderedDict|defaultdict|deque|WeakKeyDictionary|WeakValueDictionary|WeakSet)\(\w*\)"
)
"""A collection into which something is put later."""
CHANGES = re.compile(r"\b(Store|Path|Connection)\b")
"""In a parameter's type: what can be another thing tomorrow."""


def kept_by_functools(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The functions that `functools` keeps the results of, each with what is wrong with that, empty where nothing is."""
    for node in ast.walk(tree):
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            assert isinstance(node, ast.FunctionDef)
            text = ast.unparse(decorator)
            name = re.match(r"(?:functools\.)?(cache|lru_cache)\b", text)
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            if name is None:
                continue
            wrong = ""
            if any(CHANGES.search(ast.unparse(each.annotation)) for each in parameters if each.annotation):
                wrong = "its arguments can change"
            elif parameters and (name[1] == "cache" or not re.search(r"\((maxsize=)?\d", text)):
                wrong = "it has no bound"
            yield node.name, wrong


def growing_collections(tree: ast.Module) -> Iterator[str]:
    """Names of a module to which an empty collection is assigned."""
    for node in tree.body:
        if (
            isinstance(node, (ast.Assign, ast.AnnAssign))
            and node.value is not None
            and EMPTY.fullmatch(ast.unparse(node.value))
        ):
            yield ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)


def test_there_are_two_caches() -> None:
    """By a project's version and by the stamps of files; `data/cache.py` says where the line is."""
    functions = """
@lru_cache(9)
def a(x: int): ...
@cache
def b(x: str): ...
@lru_cache(maxsize=9)
def c(store: Store): ...
@cache
def d(): ...
"""
    wanted = [("a", ""), ("b", "it has no bound"), ("c", "its arguments can change"), ("d", "")]
    assert list(kept_by_functools(ast.parse(functions))) == wanted
    collections = "a = {}\nb: dict[str, int] = {1: 2}\nc: WeakSet[int] = WeakSet()\nd = dict(x=1)\ne = []\nf = [1]"
    assert list(growing_collections(ast.parse(collections))) == ["a", "c", "e"]
    kept, registers, wrong = set(), set(), {}
    for path in sources(*MAY_IMPORT):
        tree, where = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT).as_posix()
        registers |= {f"{where}: {name}" for name in growing_collections(tree)}
        for name, why in kept_by_functools(tree):
            kept.add(f"{where}: {name}")
            if why:
                wrong[f"{where}: {name}"] = why
    assert len(kept) > 20
    assert {name: why for name, why in wrong.items() if name not in LASTING} == {}
    assert LASTING.keys() <= wrong.keys()
    assert registers == REGISTERS.keys()


def test_a_database_is_copied_in_one_way() -> None:
    """By `copy_database`: DuckDB's own copy needs a connection that may open files."""
    other = re.compile(r"copy\s+from\s+database|\battach\s+('|{)", re.IGNORECASE)
    assert other.search("COPY FROM DATABASE a TO b")
    assert [path for path in sources("data") if other.search(code_of(path))] == []


def code_of(path: Path) -> str:
    """A module's texts but for its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    return ast.unparse(tree)
