"""A manager's Markdown as nodes that the browser builds by ``createElement``: no text ever passes through a parser there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

Node = str | dict[str, Any]
"""A text, or ``{"tag", "children"}`` with ``href`` of a link and ``src``, ``alt`` of a picture."""

_TAGS: Final = frozenset(
    ("p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "hr", "br", "s")
)
_ITEM: Final = "item:"
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


def nodes(text: str, picture: Callable[[str], str | None] = lambda _: None) -> list[Node]:
    """What a Markdown text says.

    HTML stays text; links lead to http and https only. ``![what](item:ID)`` shows the project's image of that id: ``picture``
    gives its address, None where there is none; of other pictures, which would tell strangers who looks, the words stay.
    """
    root: list[Node] = []
    _build(_MARKDOWN.parse(text), root, picture)
    return root


def _build(tokens: Sequence[Token], root: list[Node], picture: Callable[[str], str | None]) -> None:
    stack: list[list[Node]] = [root]
    for token in tokens:
        if token.type == "inline":
            _build(token.children or (), stack[-1], picture)
        elif token.type in ("text", "html_block", "html_inline"):
            stack[-1].append(token.content)
        elif token.type == "softbreak":
            stack[-1].append(" ")
        elif token.type == "image":
            stack[-1].append(_picture(token, picture))
        elif token.type in ("code_inline", "code_block", "fence"):
            code: Node = {"tag": "code", "children": [token.content.rstrip("\n")]}
            stack[-1].append(code if token.type == "code_inline" else {"tag": "pre", "children": [code]})
        elif token.nesting == -1:
            stack.pop()
        else:
            node = _element(token)
            stack[-1].append(node)
            if token.nesting == 1:
                stack.append(node["children"])


def _element(token: Token) -> dict[str, Any]:
    if token.tag == "a":
        address = str(token.attrs.get("href", ""))
        if urlsplit(address).scheme in ("http", "https"):
            return {"tag": "a", "children": [], "href": address}
        return {"tag": "span", "children": []}
    return {"tag": token.tag if token.tag in _TAGS else "span", "children": []}


def _picture(token: Token, picture: Callable[[str], str | None]) -> Node:
    source = str(token.attrs.get("src", ""))
    address = picture(source.removeprefix(_ITEM)) if source.startswith(_ITEM) else None
    return {"tag": "img", "children": [], "src": address, "alt": token.content} if address else token.content
