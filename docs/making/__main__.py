"""``python -m docs.making [--check]``: make the generated parts of the docs anew, or say which are stale."""

from __future__ import annotations

import sys

from docs.making.blocks import ROOT
from docs.making.parts import pages


def main(check: bool) -> int:
    stale = 0
    for name, text in pages().items():
        path = ROOT / name
        if path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(f"{name}: {'stale' if check else 'made anew'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and stale > 0)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
