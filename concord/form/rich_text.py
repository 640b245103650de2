"""Managers' Markdown (instructions, consent) as nodes that a browser builds by ``createElement``: no text ever passes through a
parser there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from concord.common.base_path import at
from data.store.browse import contents
from data.store.core.store import Store

RichTextNode = str | dict[str, Any]
"""A text, or ``{"tag", "children"}`` with ``href`` of a link and ``src``, ``alt`` of a picture."""

_TAGS: Final = frozenset(
    ("p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "hr", "br", "s")
)
_ITEM: Final = "item:"
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


def rich_text_nodes(text: str, picture: Callable[[str], str | None] = lambda _: None) -> list[RichTextNode]:
    """What a Markdown text says.

    HTML stays text; links lead to http and https only. ``![what](item:ID)`` shows the project's image of that id: ``picture``
    gives its address, None where there is none; of other pictures, which would tell strangers who looks, the words stay.
    """
    root: list[RichTextNode] = []
    _build_nodes(_MARKDOWN.parse(text), root, picture)
    return root


def _build_nodes(tokens: Sequence[Token], root: list[RichTextNode], picture: Callable[[str], str | None]) -> None:
    stack: list[list[RichTextNode]] = [root]
    for token in tokens:
        if token.type == "inline":
            _build_nodes(token.children or (), stack[-1], picture)
        elif token.type in ("text", "html_block", "html_inline"):
            stack[-1].append(token.content)
        elif token.type == "softbreak":
            stack[-1].append(" ")
        elif token.type == "image":
            stack[-1].append(_picture_node(token, picture))
        elif token.type in ("code_inline", "code_block", "fence"):
            code: RichTextNode = {"tag": "code", "children": [token.content.rstrip("\n")]}
            stack[-1].append(code if token.type == "code_inline" else {"tag": "pre", "children": [code]})
        elif token.nesting == -1:
            stack.pop()
        else:
            children: list[RichTextNode] = []
            node: dict[str, Any] = {
                "tag": token.tag if token.tag in _TAGS and token.tag != "a" else "span",
                "children": children,
            }
            address = str(token.attrs.get("href", ""))
            if token.tag == "a" and urlsplit(address).scheme in ("http", "https"):
                node = {"tag": "a", "children": children, "href": address}
            stack[-1].append(node)
            if token.nesting == 1:
                stack.append(children)


def _picture_node(token: Token, picture: Callable[[str], str | None]) -> RichTextNode:
    source = str(token.attrs.get("src", ""))
    address = picture(source.removeprefix(_ITEM)) if source.startswith(_ITEM) else None
    return {"tag": "img", "children": [], "src": address, "alt": token.content} if address else token.content


def rich_texts(store: Store, markdown: str) -> list[RichTextNode]:
    """A manager's text; pictures of the project by their hashes."""
    if "](item:" not in markdown:
        return _rich_text_without_pictures(markdown)

    def address(item_id: str) -> str | None:
        item = contents.item(store, item_id)
        return None if item is None or item.sha256 is None else at(f"/img/{item.sha256}")

    return rich_text_nodes(markdown, address)


@lru_cache(maxsize=64)
def _rich_text_without_pictures(markdown: str) -> list[RichTextNode]:
    return rich_text_nodes(markdown)
