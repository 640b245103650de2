"""``assets/`` as browsers get it: the form's scripts and styles in one file each, as a slow line waits for every file.

A bundle is made of the files as they are when it is asked for, and kept until one of them changes: whoever edits one reloads
the page, and there is no build. Its address has a hash of its content (``address``), so that browsers may keep it for ever.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from anyio.to_thread import run_sync
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from concord.common.base_path import at
from data.cache import cached_by_stamp

ASSETS: Final = Path(__file__).parents[2] / "assets"
SCRIPT: Final = "js/form/form.js"
"""The form's first module; its bundle has the same address."""
STYLES: Final = "css/annotate.css"
_STYLES: Final = ("concord.css", "picture.css", "form.css", "dialogs.css", "form_campaign.css")
_TYPES: Final = {SCRIPT: "text/javascript", STYLES: "text/css"}
_IMPORT: Final = re.compile(r'^import (?:\* as (?P<whole>\w+)|(?P<names>\{[^}]*\})) from "(?P<path>[^"]+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
_HASHED: Final = re.compile(r"(?P<stem>.+)-(?P<hash>[0-9a-f]{12})(?P<type>\.(?:js|css))")
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_OTHER: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


class Assets(StaticFiles):
    """The files, and the bundles beside them."""

    def __init__(self) -> None:
        super().__init__(directory=ASSETS)

    async def get_response(self, path: str, scope: Scope) -> Response:
        named = _HASHED.fullmatch(path)
        name = f"{named['stem']}{named['type']}" if named else path
        if name not in _TYPES or scope["method"] not in ("GET", "HEAD"):
            return await super().get_response(path, scope)
        bundled, request = await run_sync(bundle, name), Headers(scope=scope)
        # a page of before an update names another content: it gets today's, and asks again next time
        kept = _FOR_EVER if named and named["hash"] == bundled.hash else "no-cache"
        headers = {"etag": f'"{bundled.hash}"', "vary": "accept-encoding", "cache-control": kept}
        if self.is_not_modified(Headers(headers), request):
            return NotModifiedResponse(Headers(headers))
        if "gzip" in request.get("accept-encoding", ""):
            return Response(bundled.compressed, media_type=_TYPES[name], headers=headers | {"content-encoding": "gzip"})
        return Response(bundled.text, media_type=_TYPES[name], headers=headers)


@dataclass(frozen=True, slots=True)
class AssetBundle:
    """Several files in one; ``compressed`` by gzip, ``hash`` of the text."""

    text: str
    compressed: bytes
    hash: str


def address(name: str) -> str:
    """Return the address of the bundle ``SCRIPT`` or ``STYLES`` with the hash of what it holds now."""
    stem, dot, ending = name.rpartition(".")
    return at(f"/assets/{stem}-{bundle(name).hash}{dot}{ending}")


def bundle(name: str) -> AssetBundle:
    """The bundle ``SCRIPT`` or ``STYLES``, of the files as they are now."""
    if name == STYLES:
        files = [ASSETS / "css" / style for style in _STYLES]
    else:
        files = sorted(file for folder in (ASSETS / "js", (ASSETS / SCRIPT).parent) for file in folder.glob("*.js"))
    return _bundle(tuple(files), name)


@cached_by_stamp(maxsize=2)
def _bundle(files: tuple[Path, ...], name: str) -> AssetBundle:
    text = "\n".join(file.read_text("utf-8") for file in files) if name == STYLES else script((ASSETS / SCRIPT).resolve())
    content = text.encode()
    return AssetBundle(text, gzip.compress(content, mtime=0), hashlib.sha256(content).hexdigest()[:12])


def script(entry: Path) -> str:
    """A module with all that it imports as one module: each in a function of its own, after those that it imports.

    Raises:
        ValueError: an import or export is of a kind that our modules do not have, or modules import each other.
    """
    parts: dict[Path, str] = {}
    _add(entry, entry.parent, parts, ())
    exported = ", ".join(_exports(entry.read_text("utf-8")))
    return "".join(parts.values()) + f"export const {{ {exported} }} = {_name(entry)};\n"


def _add(path: Path, root: Path, parts: dict[Path, str], importing: tuple[Path, ...]) -> None:
    if path in importing:
        raise ValueError(f"{path.name} imports itself, by way of {importing[-1].name}")
    text = path.read_text("utf-8")
    for match in _IMPORT.finditer(text):
        if (imported := (path.parent / match["path"]).resolve()) not in parts:
            _add(imported, root, parts, (*importing, path))

    def constant(match: re.Match[str]) -> str:
        """What an import says, of a module that stands above."""
        names = match["whole"] or match["names"].replace(" as ", ": ")
        return f"const {names} = {_name((path.parent / match['path']).resolve())};"

    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(constant, text))
    if other := _OTHER.search(body):
        raise ValueError(f"{path.name}: {other[0]!r} cannot be bundled")
    here = f'new URL("{Path(os.path.relpath(path, root)).as_posix()}", import.meta.url).href'
    body = body.replace("import.meta.url", here)
    parts[path] = f"const {_name(path)} = (() => {{\n{body}\nreturn {{ {', '.join(_exports(text))} }};\n}})();\n"


def _exports(text: str) -> list[str]:
    return [name for _, name in _EXPORT.findall(text)]


def _name(path: Path) -> str:
    return f"module_{path.stem}"
