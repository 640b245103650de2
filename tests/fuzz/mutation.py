"""Valid files made wrong: by bytes, by lines and cells, by the values of a JSON document, by the types of a Parquet table.

Everything is drawn from one ``random.Random``, so that a number gives the same file again.
"""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import PurePosixPath
from random import Random
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

Files = Mapping[str, bytes | None]
"""Contents by name (with folders); None: a folder stands there."""

_DEEP: Final = "@@deep@@"
_HUGE: Final = "@@huge@@"
_SUPPLANT: Final = {_DEEP: "[" * 6000 + "]" * 6000, _HUGE: "7" * 5000}
_LONG: Final = "long " * 1200

TEXTS: Final[tuple[str, ...]] = (
    "", " ", "a", "A", "\0", "a\0b", "\ud800", "\udfff\ud800", "e\u0301", "\u00e9", "\u202eabc", "\u2028", "\ufeff", "\r", "\n",
    "\t", "a\rb", "=1+1", "@SUM(A1)", "-1", "+2", "../../etc/passwd", "/etc/passwd", "C:\\x", "a/b", "a|b", ".", "..", "%00",
    "<script>alert(1)</script>", "${7*7}", "{{7*7}}", "%s%n", "nan", "NaN", "inf", "-inf", "1e400", "1e-400", "0x10", "1_000",
    "\u0663", "\u00b2", "\u2460", "1.0", " 1 ", "01", "-0", "None", "null", "true", "TRUE", "yes", "no", "2026-13-45",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-11-20", "12:30", "[]", "{}", '"', "'", ",", ";", "\u212a",
    "\U0001f600", "\u0130", "ß", "\x7f", "\x1b[31m", "cannot_tell", "both", "none", _LONG, _DEEP, _HUGE,
)  # fmt: skip
NUMBERS: Final[tuple[Any, ...]] = (
    0, 1, -1, 2, 5, 6, 7, 100, 255, 256, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, 10**30, 10**400, -(2**63),
    0.5, -0.0, 1.0, 1.5, 1e-320, 1e7, 1e16, 1.7e308, -1e308, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
OTHERS: Final[tuple[Any, ...]] = (
    None, True, False, [], {}, [[]], [None], {"": None}, [[], [[]]], {"a": {}}, [0], ["a", "a"], {"id": 1},
)  # fmt: skip
_BYTES: Final[tuple[bytes, ...]] = (
    b"\0", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80",
    b"\r", b"\r\n", b"\n", b"\n\n", b"\x1a",
    b'"', b"'", b",", b";", b"\t", b"{", b"}", b"[", b"]", b":", b"\\",
    b"\\ud800", b"NaN", b"Infinity", b"1e999", b"null", b"PAR1", b"\x80\x04.", b"<!--", b"&", b"*", b"!!python/none", b"#",
)  # fmt: skip

Mutate = Callable[[Random, bytes], bytes]


def mutate(draw: Random, files: Files) -> dict[str, bytes | None]:
    """A folder of files with something wrong, most often within one of them."""
    results = dict(files)
    if draw.random() < 0.04:
        return _shuffled(draw, results)
    names = [name for name, content in results.items() if content is not None]
    for name in draw.sample(names, 1 if draw.random() < 0.8 else min(2, len(names))):
        content = results[name]
        assert content is not None
        results[name] = _content(draw, name, content)
    return results


def _shuffled(draw: Random, files: dict[str, bytes | None]) -> dict[str, bytes | None]:
    """A file is gone, empty, a folder, or another one's content stands in it."""
    name = draw.choice(sorted(files))
    how = draw.randrange(5)
    if how == 0:
        del files[name]
    elif how == 1:
        files[name] = None
    elif how == 2:
        files[name] = b""
    elif how == 3:
        files[name] = draw.randbytes(draw.choice((1, 2, 40, 4000)))
    else:
        files[name] = files[draw.choice(sorted(files))]
    return files


def _content(draw: Random, name: str, content: bytes) -> bytes:
    how = draw.random()
    if how < 0.12:
        return _encoded(draw, content)
    structured = _STRUCTURED.get(PurePosixPath(name).suffix)
    if structured is None or how < 0.3:
        return by_bytes(draw, content)
    return structured(draw, content)


def by_bytes(draw: Random, content: bytes) -> bytes:
    """Flips, cuts, doublings and insertions."""
    result = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at = draw.randrange(len(result) + 1)
        how = draw.randrange(7)
        if how == 0 and at < len(result):
            result[at] ^= 1 << draw.randrange(8)
        elif how == 1 and at < len(result):
            result[at] = draw.randrange(256)
        elif how == 2:
            del result[at:]
        elif how == 3:
            del result[at : at + draw.choice((1, 2, 8, 64))]
        elif how == 4:
            result[at:at] = result[at : at + draw.choice((1, 4, 32, 400))]
        elif how == 5:
            result[at:at] = draw.choice(_BYTES)
        else:
            other = draw.randrange(len(result) + 1)
            result[at:at] = result[min(at, other) : max(at, other)][:500]
    return bytes(result)


def _encoded(draw: Random, content: bytes) -> bytes:
    """The same text as another program might save it."""
    text = content.decode("utf-8", "replace")
    result = (
        text.encode("utf-16"), text.encode("utf-16-le"), text.encode("utf-32"), b"\xef\xbb\xbf" + content,
        text.replace("\n", "\r\n").encode(), text.replace("\n", "\r").encode(), text.encode("latin-1", "replace"),
        unicodedata.normalize(draw.choice(("NFD", "NFKC")), text).encode(), content.rstrip(b"\n"), b"\n" + content,
        content + b"\n\n", content + content, content.upper(), b" " + content, content + b"\0", content.replace(b"\n", b""),
    )  # fmt: skip
    return draw.choice(result)


def value(draw: Random) -> Any:
    """Something that nobody expects."""
    # a copy: what is put into it must not be there the next time
    return deepcopy(draw.choice((draw.choice(TEXTS), draw.choice(TEXTS), draw.choice(NUMBERS), draw.choice(OTHERS))))


def by_json(draw: Random, content: bytes) -> bytes:
    """Values exchanged, gone, doubled, renamed, wrapped or moved in a document, or in lines of documents."""
    try:
        return _dumped(draw, _changed(draw, json.loads(content))).encode("utf-8", "surrogatepass")
    except ValueError:
        pass
    lines = content.split(b"\n")
    at = draw.randrange(len(lines))
    try:
        lines[at] = _dumped(draw, _changed(draw, json.loads(lines[at]))).encode("utf-8", "surrogatepass")
    except ValueError:
        return by_lines(draw, content)
    return b"\n".join(lines)


def _json_positions(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of every value in it."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _json_positions(value[key])


def _changed(draw: Random, document: Any) -> Any:
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        places = list(_json_positions(document))
        if not places or draw.random() < 0.02:
            document = draw.choice((value(draw), [document], {"a": document}))
            continue
        inside, key = draw.choice(places)
        _change(draw, inside, key, places)
    return document


def _change(draw: Random, inside: Any, key: Any, places: list[tuple[Any, Any]]) -> None:
    how = draw.randrange(9)
    other, name = draw.choice(places)
    if how == 0:
        del inside[key]
    elif how == 1 and isinstance(inside, list):
        inside.insert(draw.randrange(len(inside) + 1), json.loads(json.dumps(inside[key])))
    elif how == 2 and isinstance(inside, dict):
        inside[draw.choice((str(name), draw.choice(TEXTS)))] = inside.pop(key)
    elif how == 3 and name in _keys(other):
        inside[key] = json.loads(json.dumps(other[name]))
    elif how == 4:
        inside[key] = draw.choice(([inside[key]], {"a": inside[key]}, str(inside[key]), [inside[key]] * 2))
    elif how == 5 and isinstance(inside[key], str):
        inside[key] = _text(draw, inside[key])
    else:
        inside[key] = value(draw)


def _keys(inside: Any) -> Any:
    return inside if isinstance(inside, dict) else range(len(inside))


def _text(draw: Random, text: str) -> str:
    at = draw.randrange(len(text) + 1)
    nasty = draw.choice(TEXTS)
    changed = (text[:at] + nasty + text[at:], text[:at], text.swapcase(), text * 2, f" {text} ", nasty, text * 400)
    return draw.choice(changed)


def _dumped(draw: Random, document: Any) -> str:
    told = json.dumps(document, ensure_ascii=draw.random() < 0.5, indent=draw.choice((None, None, 1)))
    for mark, text in _SUPPLANT.items():
        told = told.replace(f'"{mark}"', text)
    if draw.random() < 0.03 and "{" in told:
        # the same key twice
        told = told.replace("{", '{"id": 1, "id": "x", ', 1)
    return told


def by_lines(draw: Random, content: bytes) -> bytes:
    """Lines gone, doubled, exchanged or of the wrong depth, words of them exchanged."""
    lines = content.split(b"\n")
    at = draw.randrange(len(lines))
    how = draw.randrange(6)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(draw.randrange(len(lines) + 1), lines[at])
    elif how == 2:
        lines[at] = draw.choice((b"  ", b"\t", b"- ", b"? ", b"'", b"[[", b"&a ", b"*a ", b"!!set ")) + lines[at]
    elif how == 3:
        head, _, _ = lines[at].partition(draw.choice((b":", b"=", b" ")))
        nasty = draw.choice(TEXTS).replace(_DEEP, _SUPPLANT[_DEEP]).replace(_HUGE, _SUPPLANT[_HUGE])
        lines[at] = head + draw.choice((b": ", b" = ", b" ")) + nasty.encode("utf-8", "surrogatepass")
    elif how == 4:
        draw.shuffle(lines)
    else:
        return by_bytes(draw, content)
    return b"\n".join(lines)


def by_cells(draw: Random, content: bytes) -> bytes:
    """Cells, columns and rows of a table with commas, each as likely as the other."""
    rows = [line.split(b",") for line in content.split(b"\n")]
    at = draw.randrange(len(rows))
    row = rows[at]
    cell = draw.randrange(len(row))
    nasty = draw.choice((draw.choice(TEXTS), str(draw.choice(NUMBERS)))).replace(_DEEP, "[" * 900).replace(_HUGE, "7" * 5000)
    encode = nasty.encode("utf-8", "surrogatepass")
    how = draw.randrange(8)
    if how in (0, 1, 2):
        row[cell] = b'"' + encode.replace(b'"', b'""') + b'"' if how else encode
    elif how == 3:
        del row[cell]
    elif how == 4:
        row.insert(cell, row[draw.randrange(len(row))])
    elif how == 5:
        rows.insert(draw.randrange(len(rows) + 1), list(row))
    elif how == 6:
        for one in rows:
            if cell < len(one):
                one[cell] = encode if draw.random() < 0.5 else b""
    else:
        row[cell] = rows[draw.randrange(len(rows))][0]
    return b"\n".join(b",".join(row) for row in rows)


def by_table(draw: Random, content: bytes) -> bytes:
    """A Parquet table with other columns, types or values."""
    try:
        table = pq.read_table(io.BytesIO(content))
    except (OSError, pa.ArrowException):
        return by_bytes(draw, content)
    at = draw.randrange(max(1, table.num_columns))
    name = table.column_names[at] if table.num_columns else "a"
    how = draw.randrange(6)
    if how == 0:
        table = table.drop_columns([name])
    elif how == 1:
        table = table.append_column(name, table.column(at))
    elif how == 2:
        table = pa.concat_tables([table, table])
    elif how == 3:
        table = table.slice(0, draw.randrange(len(table) + 1))
    else:
        table = table.set_column(at, name, _column(draw, len(table)))
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def _column(draw: Random, n: int) -> pa.Array:
    kinds: list[list[Any]] = [
        [None] * n, [draw.choice((0, 1, 2**62)) for _ in range(n)], [float("nan")] * n, [b"\xff\x00"] * n, ["\0x"] * n,
        [True] * n, [[1.0]] * n, [{"a": 1}] * n, ["[]"] * n, ["{"] * n, ["{}"] * n,
        [draw.choice(("", "=1", "a")) for _ in range(n)],
    ]  # fmt: skip
    return pa.array(draw.choice(kinds))


_STRUCTURED: Final[Mapping[str, Mutate]] = {
    ".json": by_json,
    ".jsonl": by_json,
    ".csv": by_cells,
    ".yaml": by_lines,
    ".toml": by_lines,
    ".txt": by_lines,
    ".py": by_lines,
    ".parquet": by_table,
}
