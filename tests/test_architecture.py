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
OURS = ("app", "ui", "concord", "scorers", "annotation", "agreement", "data")
MAY_IMPORT = {
    "data": {"data"},
    "agreement": {"agreement"},
    "annotation": {"annotation", "data"},
    "scorers": {"scorers", "data"},
    "concord": {"concord", "annotation", "scorers", "agreement", "data"},
    "ui": {"ui", "concord", "annotation", "scorers", "agreement", "data"},
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
TERMS = ("leave_one_out", "LeaveOneOut", "one_hot")
"""Terms of the field that hold a retired word."""


def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    names = {path: path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in [*sources(*OURS[1:])]}
    return {name.removesuffix(".__init__"): path for path, name in names.items()}


@cache
def import_graph() -> dict[str, set[str]]:
    """Which modules a module imports, inside functions too; what only type checkers import is left out."""
    known = modules()
    graph = {}
    for name, path in known.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        typing_only = {
            id(node)
            for block in ast.walk(tree)
            if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
            for node in ast.walk(block)
        }
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and id(node) not in typing_only]
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
    # more than in the second edition of the house: each feature since is a module or two of its own
    assert len(PRODUCT) < 500
    assert {folder: count for folder, count in folders.items() if count > 21} == {}
    assert len([name for name, files in classes.items() if len(files) > 1]) < 10
    assert len(retired) < 10, retired


TAG = re.compile(
    r"</?(?:a|article|aside|b|body|br|button|caption|code|dd|details|div|dl|dt|em|figcaption|figure|footer|form|h[1-6]|head|header"
    r"|html|i|iframe|img|input|label|li|link|main|meta|nav|ol|option|p|pre|progress|script|section|select|small|span|strong|style"
    r"|summary|svg|table|tbody|td|textarea|tfoot|th|thead|time|title|tr|ul)(?=[\s/>]|$)"
)
MAY_HAVE_TAGS = {
    "ui/components/plotly_text.py": "Plotly's own few tags in texts of figures",
    "ui/components/controls.py": "Gradio's template of a JavaScript module, with no text in it",
    "ui/components/live_updates.py": "Gradio's template of the version signal, with no text in it",
    "ui/web/middleware.py": "a style sheet that is put into Gradio's own page, with no text in it",
}
"""The modules of `ui`, `concord` and `agreement` that have HTML as text, and why."""
ESCAPING = {"ui/components/plotly_text.py"}
"""The modules that escape by hand: everywhere else elements (`htpy`) and templates (Jinja2) do it."""
TABLE_CLASSES = {
    "concord/common/table.py:Table",
}
"""The classes that are a table of cells, which are to become one."""


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
    """How often HTML is escaped by hand."""
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return len([name for name in calls if name in ("escape", "html.escape", "markupsafe.escape")])


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
    assert {name for name, tree in trees.items() if escapes_in(tree)} == ESCAPING
    assert sum(map(escapes_in, trees.values())) == 1
    assert {name: lines for name, tree in trees.items() if (lines := generators_in(tree))} == {}


def test_the_search_for_html_finds_it() -> None:
    found = ast.parse('"""<p>"""\nx = f"<li class={a}>{escape(b)}</li>" + "</td>"\ny = "<low" + "a <b" + "<path to it>"\n')
    assert sorted(html_in(found)) == ["</li>", "</td>", "<li class=", "a <b"]
    assert escapes_in(found) == 1
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
    assert tables == TABLE_CLASSES


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
