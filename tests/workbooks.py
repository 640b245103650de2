"""Excel files for tests, as small as they may be."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape

_SCHEMAS: Final = "http://schemas.openxmlformats.org"
_MAIN: Final = f"{_SCHEMAS}/spreadsheetml/2006/main"
_RELATIONS: Final = f"{_SCHEMAS}/officeDocument/2006/relationships"
_PACKAGE: Final = f"{_SCHEMAS}/package/2006"
_TYPE: Final = "application/vnd.openxmlformats-"
_SHEET: Final = f"{_TYPE}officedocument.spreadsheetml."


def workbook(sheets: Mapping[str, Sequence[Sequence[str]]]) -> bytes:
    """Return an Excel file with these sheets; texts that are numbers are stored as numbers, as Excel does."""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{_TYPE}package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET}sheet.main+xml"/>',
        "_rels/.rels": _relation(1, f"{_RELATIONS}/officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>',
        "xl/_rels/workbook.xml.rels": "",
    }
    for n, (name, rows) in enumerate(sheets.items(), 1):
        path = f"worksheets/sheet{n}.xml"
        parts["[Content_Types].xml"] += f'<Override PartName="/xl/{path}" ContentType="{_SHEET}worksheet+xml"/>'
        parts["xl/workbook.xml"] += f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>'
        parts["xl/_rels/workbook.xml.rels"] += _relation(n, f"{_RELATIONS}/worksheet", path)
        cells = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
        parts[f"xl/{path}"] = f'<worksheet xmlns="{_MAIN}"><sheetData>{cells}</sheetData></worksheet>'
    parts["[Content_Types].xml"] += "</Types>"
    parts["xl/workbook.xml"] += "</sheets></workbook>"
    for name in ("_rels/.rels", "xl/_rels/workbook.xml.rels"):
        parts[name] = f'<Relationships xmlns="{_PACKAGE}/relationships">{parts[name]}</Relationships>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return out.getvalue()


def _relation(number: int, kind: str, target: str) -> str:
    return f'<Relationship Id="rId{number}" Type="{kind}" Target="{target}"/>'


def _cell(text: str) -> str:
    if re.fullmatch(r"-?(?:0|[1-9]\d{0,9})(?:\.\d+)?", text):
        return f"<c><v>{text}</v></c>"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
