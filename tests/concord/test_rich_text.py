"""A manager's Markdown: what it becomes, and what it cannot become."""

from __future__ import annotations

import pytest

from concord.form.rich_text import RichTextNode, rich_text_nodes


def p(*children: RichTextNode) -> RichTextNode:
    return {"tag": "p", "children": list(children)}


def tag(name: str, *children: RichTextNode) -> RichTextNode:
    return {"tag": name, "children": list(children)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a *b* `c`", [p("a ", tag("em", "b"), " ", tag("code", "c"))]),
        ("# T\n\n- x\n- y", [tag("h1", "T"), tag("ul", tag("li", p("x")), tag("li", p("y")))]),
        ("    code", [tag("pre", tag("code", "code"))]),
        ("a\nb", [p("a", " ", "b")]),
        ("---", [tag("hr")]),
        ("[x](https://e.org/?a=1)", [p({"tag": "a", "children": ["x"], "href": "https://e.org/?a=1"})]),
        ("![w](https://e.org/x.png)", [p("w")]),
        ("![w](item:one)", [p({"tag": "img", "children": [], "src": "/img/1", "alt": "w"})]),
        ("![w](item:other)", [p("w")]),
    ],
)
def test_markdown_becomes_nodes(text: str, expected: list[RichTextNode]) -> None:
    assert rich_text_nodes(text, {"one": "/img/1"}.get) == expected


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=x>b</b>",
        "[x](javascript:alert(1))",
        "[x](/studio/)",
    ],
)
def test_html_and_scripts_stay_words(text: str) -> None:
    def walk(some: list[RichTextNode]) -> list[RichTextNode]:
        return [one for node in some for one in [node, *walk([] if isinstance(node, str) else node["children"])]]

    for node in walk(rich_text_nodes(text)):
        if not isinstance(node, str):
            assert node["tag"] in ("p", "span")
            assert not {"href", "src"} & set(node)
