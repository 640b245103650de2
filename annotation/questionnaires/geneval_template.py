"""Reading of GenEval's published form (``mturk_hit_template.html``), a page for Mechanical Turk that a user names.

The page is somebody else's: only texts are taken, as texts, and pictures, packed anew. A picture comes from a data address in
the page, or from a file in the page's own folder; nothing is fetched. The page's parts are known by its ids (``instructions``,
``examples``, ``task-container``), and its questions by the names of their fields (``task-count-0``, ``ex1-count-0``).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from annotation.questionnaires.geneval_authors import (
    KEYS,
    MOST_EXAMPLES,
    MOST_LINES,
    MOST_TEXT,
    QUESTIONS,
    Template,
    TemplateExample,
    TemplateOption,
    TemplateQuestion,
    TemplateSection,
    kind_of,
)
from data.files import InputError, quoted, read_bytes
from data.images.files import ImageError, open_image

MOST_BYTES: Final = 30_000_000
"""The largest page that is read, in bytes: the authors' has 150 KB, one with its pictures in it a few MB."""
SIDE: Final = 448
"""Pixels of a worked picture's longer side, at most."""

_FIELDS: Final = {
    "task-objects": "objects",
    **{
        f"task-{name}-{k}": f"{kind}_{k}"
        for k in (0, 1)
        for name, kind in (("count", "count"), ("color", "color"), ("real", "realism"))
    },
    "task-position-x": "position_x",
    "task-position-y": "position_y",
    "task-quality": "caption_fit",
}
"""The page's fields, and the questions that they ask."""
_NEITHER: Final = {"neither_x": "neither", "neither_y": "neither"}
_NAMED: Final = {
    **{f"{kind}_{k}": (f"object_{k}_name",) for k in (0, 1) for kind in ("count", "color", "realism")},
    "position_x": ("object_0_name", "object_1_name"),
    "position_y": ("object_0_name", "object_1_name"),
}
"""The placeholders that the text of a question must have."""
_PLACEHOLDER: Final = re.compile(r"\$\{([^}]*)\}")
_CAPTION: Final = "${caption}"
_BLOCKS: Final = frozenset({
    "address", "article", "br", "div", "dd", "dl", "dt", "fieldset", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "label",
    "legend", "li", "ol", "p", "section", "table", "td", "th", "tr", "ul",
})  # fmt: skip
_SILENT: Final = frozenset(("script", "style", "template", "noscript", "title", "iframe", "object", "svg"))
_PARTS: Final = {
    "instructions": "instructions",
    "examplesHeading": "",
    "examples": "examples",
    "mturk_form": "",
    "task-container": "task",
    "feedback": "",
}
"""Ids at which a part of the page begins; an empty name: a part that is not read."""
_NUMBERED: Final = re.compile(r"^question\s*\w{1,4}\s*[:.]\s*", re.IGNORECASE)


@dataclass(slots=True)
class _TextLine:
    """A line of text; ``bold``: what stands in bold at its beginning, as questions do."""

    text: str
    bold: str


@dataclass(slots=True)
class _Field:
    """A choice, or a field for text with what is written in it."""

    name: str
    value: str
    label: str = ""
    checked: bool = False
    is_text: bool = False


@dataclass(slots=True)
class _PictureAddress:
    address: str


_Token = _TextLine | _Field | _PictureAddress


@dataclass
class _Parts:
    """The page's parts as lines, fields and pictures, in order."""

    instructions: list[_Token] = field(default_factory=list)
    examples: list[list[_Token]] = field(default_factory=list)
    task: list[_Token] = field(default_factory=list)


class _PageReader(HTMLParser):
    """Turns the page into lines of text, fields and pictures; scripts and styles are skipped."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts = _Parts()
        self._part = ""
        self._text: list[str] = []
        self._bold: list[str] = []
        self._strong = self._silent = 0
        self._field: _Field | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in _SILENT:
            self._silent += 1
        if self._silent:
            return
        id_ = values.get("id", "")
        if id_ in _PARTS or id_.startswith("example-"):
            self._flush()
            self._part = _PARTS.get(id_, self._part)
            if self._part == "examples" and id_.startswith("example-"):
                self.parts.examples.append([])
        if tag in _BLOCKS:
            self._flush()
        if tag in ("strong", "b"):
            self._strong += 1
        elif tag == "img":
            self._flush()
            self._add(_PictureAddress(values.get("src", "").strip()))
        elif tag in ("input", "textarea") and values.get("type", "radio") in ("radio", "checkbox"):
            self._flush()
            self._field = _Field(values.get("name", ""), values.get("value", ""), checked="checked" in values)
            self._field.is_text = tag == "textarea"
            self._add(self._field)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _SILENT:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(self._silent - 1, 0)
        elif tag in ("strong", "b"):
            self._strong = max(self._strong - 1, 0)
        elif tag in _BLOCKS or tag == "textarea":
            self._flush()
            self._field = None

    def handle_data(self, data: str) -> None:
        # white space before a text is no text
        if self._silent or not self._part or not (self._text or data.strip()):
            return
        if self._strong and len(self._bold) == len(self._text):
            self._bold.append(data)
        self._text.append(data)

    def close(self) -> None:
        super().close()
        self._flush()

    def _flush(self) -> None:
        text, bold = _plain("".join(self._text)), _plain("".join(self._bold))
        self._text, self._bold = [], []
        if not text:
            return
        if self._field is not None:
            self._field.label = f"{self._field.label} {text}".strip()
        else:
            self._add(_TextLine(text, bold))

    def _add(self, token: _Token) -> None:
        if self._part == "instructions":
            self.parts.instructions.append(token)
        elif self._part == "task":
            self.parts.task.append(token)
        elif self._part == "examples" and self.parts.examples:
            self.parts.examples[-1].append(token)


def _plain(text: str) -> str:
    """Return a text on one line, without characters that cannot be seen or that turn the writing round."""
    seen = "".join(" " if character.isspace() else character for character in text)
    seen = "".join(character for character in seen if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    return " ".join(seen.split())


@dataclass(frozen=True, slots=True)
class ReadTemplate:
    """A template, and a line for the user about worked examples that were left out."""

    template: Template
    notes: tuple[str, ...] = ()


def read_template(path: Path) -> ReadTemplate:
    """Return what GenEval's published form at ``path`` says.

    Raises:
        InputError: the file cannot be read, or is not of that form: a line for each question that is wrong.
    """
    return parse_template(read_bytes(path), path)


def parse_template(content: bytes, path: Path) -> ReadTemplate:
    """Like `read_template`, from the file's content; ``path`` is what messages call it."""
    if len(content) > MOST_BYTES:
        raise InputError(
            f"{path}: has {len(content) / 1e6:,.0f} MB, at most {MOST_BYTES / 1e6:,.0f} are read; is this GenEval's form?"
        )
    reader = _PageReader()
    try:
        reader.feed(content.decode("utf-8-sig"))
        reader.close()
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8; save GenEval's form as it is published") from None
    questions, problems = _questions(reader.parts.task)
    if problems:
        about = "this is not GenEval's published form (mturk_hit_template.html)"
        raise InputError(*(f"{path}: {about}: {problem}" for problem in problems))
    examples, notes = _examples(reader.parts.examples, path)
    sections = tuple(_sections(reader.parts.instructions))
    return ReadTemplate(Template(hashlib.sha256(content).hexdigest(), questions, sections, examples), notes)


def _questions(tokens: Sequence[_Token]) -> tuple[dict[str, TemplateQuestion], list[str]]:
    questions: dict[str, TemplateQuestion] = {}
    problems = []
    groups = {group.name: group for group in _groups(tokens)}
    for name, id_ in _FIELDS.items():
        group = groups.get(name)
        if group is None:
            problems.append(f"there is no field {name}")
            continue
        try:
            questions[id_] = _question(id_, group)
        except ValueError as error:
            problems.append(f"field {name}: {error}")
    assert problems or tuple(questions) == QUESTIONS
    return questions, problems


@dataclass(slots=True)
class _Group:
    """A question of the page: its lines, its fields, and the lines after them until the next question's."""

    name: str
    lines: list[_TextLine]
    fields: list[_Field]
    after: list[_TextLine] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The question, without its number."""
        return _NUMBERED.sub("", self.lines[0].bold) if self.lines else ""

    @property
    def help(self) -> str:
        """The text after the question."""
        first = [self.lines[0].text.removeprefix(self.lines[0].bold).strip()] if self.lines else []
        return " ".join(filter(None, (*first, *(line.text for line in self.lines[1:] if line.text != _CAPTION))))


def _groups(tokens: Sequence[_Token]) -> Iterator[_Group]:
    """Yield the page's questions; a question's own lines begin with the last one in bold before its fields."""
    waiting: list[_TextLine] = []
    group: _Group | None = None
    for token in tokens:
        if isinstance(token, _TextLine):
            waiting.append(token)
        elif isinstance(token, _Field):
            if group is None or token.name != group.name:
                start = max((k for k, line in enumerate(waiting) if line.bold), default=0)
                if group is not None:
                    group.after = waiting[:start]
                    yield group
                group = _Group(token.name, waiting[start:], [])
            waiting = []
            group.fields.append(token)
    if group is not None:
        group.after = waiting
        yield group


def _question(id_: str, group: _Group) -> TemplateQuestion:
    text, help_ = group.text, group.help
    if not text:
        raise ValueError("no question stands before it in bold")
    for written in (text, help_, *(choice.label for choice in group.fields)):
        if len(written) > MOST_TEXT:
            raise ValueError(f"a text has {len(written):,} characters; at most {MOST_TEXT:,} are read")
    named = set(_PLACEHOLDER.findall(text + help_))
    needed = _NAMED.get(id_, ())
    for name in needed:
        if not named & {name, f"{name}_plural"}:
            raise ValueError(f"its question does not name ${{{name}}}")
    if strange := sorted(named - {form for name in needed for form in (name, f"{name}_plural")}):
        raise ValueError(f"its question names ${{{quoted(strange[0])}}}, which nothing fills")
    if id_ == "objects":
        return TemplateQuestion(text, help_)
    keys = KEYS[kind_of(id_)]
    options = tuple(
        TemplateOption(_value(choice.value), choice.label or choice.value) for choice in group.fields if not choice.is_text
    )
    values = [option.value for option in options]
    if sorted(map(str, values)) != sorted(map(str, keys)):
        raise ValueError(f"its answers are {', '.join(map(quoted, values))}; expected {', '.join(map(str, keys))}")
    return TemplateQuestion(text, help_, options)


def _value(text: str) -> int | str:
    return int(text) if re.fullmatch(r"[0-9]", text) else _NEITHER.get(text, text)


def _sections(tokens: Sequence[_Token]) -> Iterator[TemplateSection]:
    """Yield the instructions; a line that ends in a colon is a heading."""
    title = ""
    lines: list[str] = []
    for token in tokens:
        if not isinstance(token, _TextLine):
            continue
        text = token.text[:MOST_TEXT]
        if text.endswith(":") or not title:
            if title:
                yield TemplateSection(title, tuple(lines))
            title, lines = text.rstrip(": ") or text, []
        else:
            lines.append(text)
    if title:
        yield TemplateSection(title, tuple(lines))


def _examples(pages: Sequence[Sequence[_Token]], path: Path) -> tuple[tuple[TemplateExample, ...], tuple[str, ...]]:
    examples, problems = [], []
    for number, tokens in enumerate(pages[:MOST_EXAMPLES], 1):
        address = next((token.address for token in tokens if isinstance(token, _PictureAddress)), "")
        try:
            picture = _picture(address, path)
        except (ImageError, InputError, ValueError) as error:
            problems.append(f"example {number}: {error}")
            continue
        lines = tuple(line[:MOST_TEXT] for group in _groups(tokens) for line in _worked(group))
        examples.append(TemplateExample(f"Example {number}", picture, lines[:MOST_LINES]))
    if not problems:
        return tuple(examples), ()
    return tuple(examples), (f"{len(problems)} of {len(pages[:MOST_EXAMPLES])} worked examples are left out; {problems[0]}",)


def _worked(group: _Group) -> Iterator[str]:
    """Yield the lines of one question of a worked example: what was answered, then why."""
    given = [choice.label or choice.value for choice in group.fields if choice.checked or choice.is_text]
    yield f"{group.text} {', '.join(given)}"
    yield from (line.text for line in group.after)


def _picture(address: str, page: Path) -> str:
    """Return a worked picture as a small WebP in a data address.

    Raises:
        ValueError: it lies on the web or outside of the page's folder, or is none; the message says what to do.
        ImageError: its file is no usable image.
    """
    if not address:
        raise ValueError("it has no picture")
    if address[:5].lower() == "data:":
        content, named = _data_of(address), page
    else:
        named = _file_of(address, page)
        content = read_bytes(named)
    image = open_image(named, data=content)
    image.thumbnail((SIDE, SIDE))
    out = io.BytesIO()
    image.save(out, "WEBP", quality=80)
    return "data:image/webp;base64," + base64.b64encode(out.getvalue()).decode()


def _data_of(address: str) -> bytes:
    head, _, body = address.partition(",")
    if not re.fullmatch(r"data:image/(png|jpe?g|webp|gif);base64", head, re.IGNORECASE):
        raise ValueError(f"its picture is {quoted(head)}; PNG, JPEG, WebP or GIF in base64 is read")
    try:
        return base64.b64decode(re.sub(r"\s", "", body), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("its picture is not base64") from None


def _file_of(address: str, page: Path) -> Path:
    """Return the file in the page's folder that an address means: as it is named there, or by the end of a web address."""
    parts = urlsplit(address)
    steps = PurePosixPath(unquote(parts.path)).parts
    folder = page.resolve().parent
    names = (
        [PurePosixPath(*steps[k:]) for k in range(len(steps))] if parts.scheme in ("http", "https") else [PurePosixPath(*steps)]
    )
    for name in names:
        file = (folder / name).resolve()
        if file.is_relative_to(folder) and file.is_file():
            return file
    raise ValueError(
        f"its picture {quoted(address, 120)} is not in the folder of {page.name}, and nothing is fetched from the web: put it"
        f" there as {PurePosixPath(*steps[-4:])}, or save the page from a browser together with its pictures and name that file"
    )
