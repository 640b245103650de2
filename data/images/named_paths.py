"""Paths that a table names: kept within a folder, and found there though they are spelled otherwise."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

from data.files import quoted
from data.folding import fold_spelling

_ADDRESS: Final = re.compile("[A-Za-z][A-Za-z0-9+.-]+://")


def path_within(directory: Path, cell: str, key: str, whose: str) -> Path:
    """The file that a table's ``key`` names, refused by its look if it leads out of ``directory`` (``whose``: for people).

    Raises:
        ValueError: it does, or it is no name.
    """
    name = cell.strip()
    if not name or "\0" in name:
        raise ValueError(f"'{key}' is empty" if not name else f"'{key}' holds a NUL character")
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or name.startswith("\\"):
        raise ValueError(f"'{key}' {quoted(name)} is absolute; paths are relative to {whose}")
    if ".." in PureWindowsPath(name).parts:  # splits at both kinds of slash
        raise ValueError(f"'{key}' {quoted(name)} holds '..'; paths must stay within {whose}")
    return directory / name


def existing_within(directory: Path, cell: str, key: str, whose: str) -> Path:
    """Return the file that a table's ``key`` names, as `path_within`, but found with other slashes, letter case and bytes, too.

    Return the path as it is written if there is no such file in any spelling.

    Raises:
        ValueError: it leads out of ``directory``, is an address or no name; or only files of similar names are there.
    """
    name = cell.strip()
    if _ADDRESS.match(name):
        raise ValueError(f"'{key}' {quoted(name)} is an address, not a path: fetch it first, and give the path of the file")
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or name.startswith("\\"):
        # the part of the path that lies in the folder
        parts = PureWindowsPath(name).parts[1:]
        inside = (_in_any_spelling(directory, parts[n:]) for n in range(len(parts)))
        hint = next((f"; did you mean {quoted(path.relative_to(directory).as_posix())}?" for path in inside if path), "")
        raise ValueError(f"'{key}' {quoted(name)} is absolute; paths are relative to {whose}{hint}")
    path = path_within(directory, cell, key, whose)
    if path.is_file():
        return path
    parts = PureWindowsPath(name).parts
    if (found := _in_any_spelling(directory, parts)) is not None:
        return found
    folder = _in_any_spelling(directory, parts[:-1], folder=True) if len(parts) > 1 else directory
    if folder is not None and (near := _near_name(folder, parts[-1])):
        raise ValueError(
            f"'{key}' {quoted(name)}: no such file; did you mean {quoted((folder / near).relative_to(directory).as_posix())}?"
        )
    return path


def _in_any_spelling(directory: Path, parts: tuple[str, ...], *, folder: bool = False) -> Path | None:
    """Return the file (or folder) whose path has these parts up to letter case and bytes; None if there is not exactly one."""
    path = directory
    for part in parts:
        if not (path / part).exists():
            names = _names(path).get(_folded(part), ()) if path.is_dir() else ()
            if len(names) != 1:
                return None
            part = names[0]
        path /= part
    return path if parts and (path.is_dir() if folder else path.is_file()) else None


def _near_name(folder: Path, name: str) -> str | None:
    """Return the file name in a folder that differs from this one by a typo, or None."""
    names = _names(folder)
    near = difflib.get_close_matches(_folded(name), names, 1, 0.9) if len(names) <= _MOST_COMPARED else []
    return names[near[0]][0] if near else None


_MOST_COMPARED: Final = 1000


def _folded(name: str) -> str:
    return fold_spelling(name).casefold()


def _names(folder: Path) -> dict[str, tuple[str, ...]]:
    return _listed(folder, folder.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _listed(folder: Path, changed: int) -> dict[str, tuple[str, ...]]:  # noqa: ARG001  (so that a changed folder is read again)
    """Return the names in a folder by their folded form."""
    names: dict[str, tuple[str, ...]] = {}
    for path in folder.iterdir():
        names[_folded(path.name)] = (*names.get(_folded(path.name), ()), path.name)
    return names
