"""The form's scripts and styles as browsers get them: one file each, kept until one of the files changes."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from inspect import unwrap
from pathlib import Path

import pytest

from data.cache import cached_by_stamp
from tests.ui.http_visitor import World
from ui.web import assets
from ui.web.assets import script


def test_the_form_is_one_script_and_one_style_sheet(standing_world: World) -> None:
    client = standing_world.client()
    for name, kind in (("js/form/form.js", "text/javascript"), ("css/annotate.css", "text/css")):
        answer = client.get(f"/assets/{name}")
        assert answer.headers["content-type"].startswith(kind)
        assert "\nimport " not in answer.text
        assert int(answer.headers["content-length"]) < len(answer.content) / 3, "compressed"
        assert client.get(f"/assets/{name}", headers={"accept-encoding": "identity"}).text == answer.text
        again = client.get(f"/assets/{name}", headers={"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert client.get("/assets/js/form/item.js").text.startswith("// One item")


def test_a_bundle_is_made_once_for_all_who_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def slow(entry: Path) -> str:
        made.append(entry)
        time.sleep(0.2)
        return "all"

    monkeypatch.setattr(assets, "script", slow)
    monkeypatch.setattr(assets, "_bundle", cached_by_stamp(2)(unwrap(assets._bundle)))
    with ThreadPoolExecutor(4) as threads:
        assert {bundle.text for bundle in threads.map(assets.bundle, [assets.SCRIPT] * 4)} == {"all"}
    assert len(made) == 1


def _modules(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "entry.js"


def test_modules_become_functions_in_the_order_in_which_they_are_needed(tmp_path: Path) -> None:
    entry = _modules(
        tmp_path,
        entry='import * as b from "./b.js";\nimport { x as y } from "./a.js";\nexport const z = b.two + y;\n',
        b='import { x } from "./a.js";\nexport const two = x;\n',
        a="export const x = import.meta.url;\n",
    )
    lines = [line for line in script(entry).splitlines() if line]
    assert lines == [
        "const module_a = (() => {",
        'const x = new URL("a.js", import.meta.url).href;',
        "return { x };",
        "})();",
        "const module_b = (() => {",
        "const { x } = module_a;",
        "const two = x;",
        "return { two };",
        "})();",
        "const module_entry = (() => {",
        "const b = module_b;",
        "const { x: y } = module_a;",
        "const z = b.two + y;",
        "return { z };",
        "})();",
        "export const { z } = module_entry;",
    ]


@pytest.mark.parametrize(
    ("text", "why"), [('import "./b.js";', "cannot be bundled"), ("export default 1;", "cannot be bundled"),
                      ('import { a } from "./entry.js";', "imports itself")],
)  # fmt: skip
def test_what_cannot_be_bundled_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        script(_modules(tmp_path, entry=text, b=""))
