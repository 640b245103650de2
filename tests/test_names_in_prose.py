"""Names in backticks are names of the tree: what docstrings, comments and docs point to can be found by a search."""

from __future__ import annotations

import ast
import builtins
import io
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("app.py", "ui", "concord", "scorers", "annotation", "agreement", "data", "tools", "benchmarks", "docs")
SPAN = re.compile(r"``([^`]+)``|`([^`\n]+)`")
NAME = re.compile(r"(?P<path>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?P<call>\(.*\))?")
WORD = re.compile(r"[A-Za-z_]\w*")
JS_TOKEN = re.compile(r"(/\*.*?\*/|(?<![:\"'`\\])//[^\n]*)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
TABLE = re.compile(r"create table (?:if not exists )?(\w+)", re.IGNORECASE)
CODE_FILES = frozenset(["py", "js", "css", "md", "sql"])
DATA_FILES = frozenset({
    "csv", "duckdb", "html", "ipynb", "json", "jsonl", "parquet", "pt", "safetensors", "toml", "txt", "xlsx", "zip",
})  # fmt: skip
OTHERS = frozenset({
    "evaluate_images.py", "relative_position", "evaluate_image", "inference_detector",
    "MaskFormerFusionHead.instance_postprocess", "mask2bbox", "instance_inference", "summary_scores.py", "visor.py",
    "VISOR_n", "VISOR_n_both_found", "clip_t5_model.py", "clip_t5.py", "t5_chat", "calc_vqa_score", "tifascore",
    "ResizeMaxSize", "BlipTextAttention", "MultiheadAttention", "AutoProcessor", "save_pretrained", "grid_sample",
    "post_process_object_detection", "ultralytics.YOLO", "numpy.packbits", "to_json", "to_datasets",
    "dataset.records.to_json", "Q.responses", "Q.responses.users", "Q.responses.status", "length_bias_prompt",
    "constant_length_bias_prompt", "__call__", "unnest", "gr.Request", "createElement", "KeyboardEvent.key",
    "COMPLETED",
})  # fmt: skip
"""Names in the code, the files and the systems of others, which ours follow."""
EXAMPLES = frozenset({
    "Yes", "TRUE", "NaN", "Ann", "Red", "PAR1", "LABEL_7", "coco_669925", "atoms_7", "reader.py", "space.py",
    "count_k", "color_k", "realism_k", "count_absent_k", "detail_k", "position_x_2", "a_size", "a_color", "missed_0",
    "missed_1", "faithfulness_0", "faithfulness_1", "blank_image_0", "blank_image_1", "cup_colors", "prompt_length",
    "question_length", "reason_length",
})  # fmt: skip
"""Values and made names (an id with a number, a column with a prefix) that stand for many."""


@dataclass
class Tree:
    """The names of the product: by file, by module, by class, and how often each is defined."""

    names: dict[Path, set[str]] = field(default_factory=dict)
    prose: dict[Path, list[tuple[int, str]]] = field(default_factory=dict)
    literals: dict[str, set[str]] = field(default_factory=dict)
    definitions: Counter[str] = field(default_factory=Counter)
    modules: dict[str, set[str]] = field(default_factory=dict)
    classes: dict[str, set[str]] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)

    @cached_property
    def modules_by_name(self) -> dict[str, list[str]]:
        """Modules by the last part of their name."""
        by_name: dict[str, list[str]] = {}
        for module in self.modules:
            by_name.setdefault(module.rsplit(".", 1)[-1], []).append(module)
        return by_name

    @cached_property
    def words(self) -> set[str]:
        return set().union(*self.names.values(), *self.literals.values())


def python_sources() -> list[Path]:
    return [ROOT / "app.py", *(path for room in PRODUCT[1:] for path in sorted((ROOT / room).rglob("*.py")))]


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def read_python(tree: Tree, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    parsed = ast.parse(text)
    docstrings = set(read_definitions(tree, path, parsed))
    names, literals = tree.names.setdefault(path, set()), tree.literals.setdefault(room_of(path), set())
    prose = tree.prose.setdefault(path, [])
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            prose.append((token.start[0], token.string))
        elif token.type == tokenize.NAME:
            names.add(token.string)
        elif token.type == tokenize.STRING and token.start in docstrings:
            prose.append((token.start[0], token.string))
        elif token.type == tokenize.STRING:
            names.update(WORD.findall(token.string))
            literals.add(token.string.strip("\"'"))


def read_definitions(tree: Tree, path: Path, parsed: ast.Module) -> Iterator[tuple[int, int]]:
    """Note what a module and its classes define; return where its docstrings begin."""
    module = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    tree.modules.setdefault(module, set()).update(name for node in parsed.body for name in bound(node))
    nodes: list[tuple[ast.AST, str]] = [(parsed, "")]
    while nodes:
        node, owner = nodes.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.lineno, node.value.col_offset
        defined = () if isinstance(node, (ast.Import, ast.ImportFrom, ast.If, ast.Try)) else tuple(bound(node))
        tree.definitions.update(defined)
        own = tree.classes.get(owner)
        if own is not None:
            own.update(defined)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                own.add(node.attr)
        if isinstance(node, ast.ClassDef):
            owner = node.name
            tree.classes.setdefault(owner, set())
        nodes += [(child, owner) for child in ast.iter_child_nodes(node)]


def bound(node: ast.AST) -> Iterator[str]:
    """Names that a statement binds."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
    elif isinstance(node, (ast.If, ast.Try)):
        for inner in node.body:
            yield from bound(inner)


def read_javascript(tree: Tree, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    comments = [match for match in JS_TOKEN.finditer(text) if match[1]]
    tree.prose[path] = [(text.count("\n", 0, match.start()) + 1, match[1]) for match in comments]
    tree.names[path] = set(WORD.findall(JS_TOKEN.sub(lambda match: " " if match[1] else match[0], text)))


def read_markdown(tree: Tree, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    blocks = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
    tree.names[path] = {word for block in blocks.findall(text) for word in WORD.findall(block)}
    plain = blocks.sub(lambda match: "\n" * match[0].count("\n"), text)
    tree.prose[path] = list(enumerate(plain.splitlines(), 1))


@cache
def the_tree() -> Tree:
    tree = Tree()
    for path in python_sources():
        read_python(tree, path)
    for path in sorted((ROOT / "assets" / "js").rglob("*.js")):
        read_javascript(tree, path)
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        read_markdown(tree, path)
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        path = ROOT / name
        tree.files |= {path.name, path.stem, *path.relative_to(ROOT).parts}
        if path.suffix in (".sql", ".css", ".toml", ".html") and path.is_file():
            text = path.read_text(encoding="utf-8")
            tree.literals.setdefault(room_of(path), set()).update(WORD.findall(text))
            tree.tables.update(TABLE.findall(text))
    return tree


def is_known(tree: Tree, path: Path, written: str) -> bool:
    """Return True if a name in backticks leads somewhere, for a reader of this file.

    A name without a dot is one of the file, a class or a module, or one that the product defines exactly once: a constant or a
    function that several modules have is written with its module. A word without capitals and underscores may be English.
    """
    match = NAME.fullmatch(written)
    if match is None or match["path"] in OTHERS | EXAMPLES:
        return True
    first, *rest = match["path"].split(".")
    if rest:
        return is_file(tree, rest, match["path"]) or leads_somewhere(tree, path, match["path"])
    if not match["call"] and not re.search(r"_|[A-Z]", first):
        return True
    findable = first in tree.classes or first in tree.modules_by_name or tree.definitions[first] == 1
    near = first in tree.names[path] or first in tree.literals.get(room_of(path), ())
    in_docs = path.suffix == ".md" and {first, first.lower()} & (tree.words | tree.files)
    return findable or near or bool(in_docs) or hasattr(builtins, first)


def is_file(tree: Tree, rest: Sequence[str], name: str) -> bool:
    return rest[-1] in DATA_FILES or (rest[-1] in CODE_FILES and name in tree.files)


def leads_somewhere(tree: Tree, path: Path, dotted: str) -> bool:
    """Return True if a dotted name is a module's or a class's own, or an attribute of something in this file."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        head, tail = ".".join(parts[:cut]), parts[cut:]
        homes = [name for name in tree.modules_by_name.get(parts[cut - 1], ()) if name == head or name.endswith(f".{head}")]
        if homes and not tail:
            return True
        if any(tail[0] in tree.modules[home] for home in homes) and all(part in tree.words for part in tail):
            return True
    first, *rest = parts
    if first in tree.classes:
        return rest[0] in tree.classes[first]
    if first in tree.tables:
        return rest[0] in tree.words
    if re.match(r"[A-Z]", rest[-1]):
        return False  # a constant or a class has a home, which is to be named
    return first in tree.names[path] and all(part in tree.words for part in rest)


def stale(tree: Tree) -> list[tuple[str, int, str]]:
    return [
        (str(path.relative_to(ROOT)), line + text.count("\n", 0, match.start()), written)
        for path, parts in tree.prose.items()
        for line, text in parts
        for match in SPAN.finditer(text)
        if not is_known(tree, path, written := " ".join((match[1] or match[2]).split()))
    ]


def test_names_in_backticks_exist() -> None:
    assert stale(the_tree()) == []


def test_a_stale_name_is_detected() -> None:
    tree, page = the_tree(), ROOT / "docs" / "CONTRIBUTING.md"
    module = ROOT / "data" / "store" / "browse" / "index_refresh.py"
    for name in (
        "IndexRefresher",
        "Store.read",
        "catch_up",
        "browse.says",
        "data.store.core.schema",
        "settings.OUTCOMES",
        "rater",
    ):
        assert is_known(tree, module, name), name
    # a class that was renamed, one that lost a method, a constant of another module, a function and a file that are gone
    for name in (
        "Keeper",
        "Store.fetch_nothing",
        "OUTCOMES",
        "at_once",
        "settings.MISSING",
        "refresh_wide_rows()",
        "keeper.py",
    ):
        assert not is_known(tree, module, name), name
    assert not is_known(tree, page, "assets.keeper.Keeper")
    changed = replace(tree, prose={module: [(1, "Much is left to where a ``Keeper`` runs,\nsee `IndexRefresher`.")]})
    assert stale(changed) == [("data/store/browse/index_refresh.py", 1, "Keeper")]
