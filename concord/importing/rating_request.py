"""The request of ``import ratings``: what a table's columns mean, and how it is taken in.

Nothing heavy is imported, as it makes the command's options.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from concord.common.context import UsageError, digest
from data.requests import Request, Setting

if TYPE_CHECKING:
    from agreement import Scale

Merge = Literal["case", "space", "number", "characters", "none"]
DEFAULT_SUITE: Final = "ratings"
KEEP_APART: Final = "none"
"""``--merge none``: names that differ only in how they are written are different names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRequest(Request):
    """A request to import a table of ratings: the meaning of its columns, and how values are read."""

    item: Annotated[str | None, Setting("Column or comma-separated columns that identify the rated item.")] = None
    rater: Annotated[str | None, Setting("Column with the rater (Label Studio and Argilla files contain it).")] = None
    value: Annotated[str | None, Setting("Column with the rating; for an export, the name of the question.")] = None
    aspect: Annotated[str | None, Setting("The rated aspect, e.g. correct, faithfulness, score.")] = None
    scale: Annotated[
        str | None,
        Setting(
            "nominal | nominal:red|green|blue | ordinal:1-5 | ordinal:0.5-5:0.5 (half stars) | ordinal:low<mid<high | interval"
        ),
    ] = None
    suite: Annotated[str | None, Setting("Suite of the items ('ratings').")] = None
    kind: Annotated[Literal["human", "scorer"] | None, Setting("human or scorer; default: human.")] = None
    prompt: Annotated[str | None, Setting("Column with the prompt (confidence intervals are computed over prompts).")] = None
    generator: Annotated[str | None, Setting("Column with the generator.")] = None
    index: Annotated[
        str | None, Setting("Column with the index of the image among those of its prompt and generator, from 0.")
    ] = None
    task: Annotated[str | None, Setting("Column with the task.")] = None
    wide: Annotated[
        bool | None,
        Setting("One column per rater; --long: one row per rating.", flags="--wide/--long"),
    ] = None
    rater_columns: Annotated[
        str | None,
        Setting("--wide: the raters' columns, comma-separated; default: all columns that no other option names."),
    ] = None
    transpose: Annotated[
        bool,
        Setting("One row per rater, one column per item; --item names the items' columns, if not all."),
    ] = False
    pair: Annotated[
        str | None,
        Setting("The two columns of the generators, comma-separated: --value is a vote between their images."),
    ] = None
    multiple: Annotated[
        bool,
        Setting("A cell holds all options that are ticked; each becomes an aspect with yes and no."),
    ] = False
    match: Annotated[
        tuple[Literal["id", "path", "name", "sha256", "prompt"], ...],
        Setting("How items identify the suite's images; default: try all in this order. Repeatable."),
    ] = ()
    new_items: Annotated[bool, Setting("Create items without pictures for rows that match no image.")] = False
    missing: Annotated[
        tuple[str, ...], Setting("A text that means 'no rating', in addition to NA, nan and empty cells. Repeatable.")
    ] = ()
    merge: Annotated[
        tuple[Merge, ...],
        Setting(
            "Merge labels, raters and items that differ only in this (characters: accents composed or not, invisible"
            " signs, curly quotes, wide letters); none: keep them apart. Repeatable."
        ),
    ] = ()
    identity: Annotated[
        Literal["person", "slot"] | None,
        Setting("Whether a rater's name is one person, or a slot that several people fill; default: person."),
    ] = None
    saw_labels: Annotated[
        bool,
        Setting("--kind scorer: the scorer was tuned on people's labels, so it gets no verdict."),
    ] = False
    encoding: Annotated[str | None, Setting("Encoding of a text file where it cannot be seen, e.g. cp1252 or cp1250.")] = None
    header_lines: Annotated[
        int | None,
        Setting("Lines of the header, of which the first holds the names; default: what the file looks like."),
    ] = None
    sheet: Annotated[str | None, Setting("Sheet of an Excel file that has several.")] = None

    @property
    def named_suite(self) -> str:
        """The suite that the items belong to."""
        return self.suite or DEFAULT_SUITE

    @property
    def by_scorer(self) -> bool:
        """True if the ratings are a scorer's numbers."""
        return self.kind == "scorer"

    @property
    def is_wide(self) -> bool:
        """True if there is a column per rater."""
        return bool(self.wide or self.rater_columns)

    @property
    def columns(self) -> dict[str, str | None]:
        """The columns that are named, by what they hold."""
        return {
            "item": self.item,
            "rater": self.rater,
            "value": self.value,
            "prompt": self.prompt,
            "generator": self.generator,
            "index": self.index,
            "task": self.task,
        }

    @property
    def more(self) -> dict[str, Any]:
        """What changes the meaning of an import, where it is used: without these, the same options as ever are the same
        import."""
        more = {
            "index": self.index,
            "wide": self.is_wide,
            "rater_columns": self.rater_columns,
            "match": sorted(self.match),
            "new_items": self.new_items,
            "missing": sorted(self.missing),
            "merge": sorted(self.merge),
            "slots": self.identity == "slot",
            "saw_labels": self.saw_labels,
            "transpose": self.transpose,
            "pair": self.pair,
            "multiple": self.multiple,
            "encoding": self.encoding,
            "header_lines": self.header_lines,
            "sheet": self.sheet,
        }
        return {name: value for name, value in more.items() if value}

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said of the table: it is one of ``export ratings``, which says all itself."""
        return (
            not any((*self.columns.values(), self.aspect, self.scale, self.suite, self.kind, self.more)) and self.wide is None
        )

    def digest(self, path: Path, aspect: str, scale: Scale) -> str:
        """Return what tells this import from others: the file's content and what is said of it."""
        named = sorted((name, value) for name, value in self.columns.items() if name != "index")
        meaning = (named, aspect, str(scale), self.named_suite, self.kind or "human")
        more = self.more
        return digest(path, repr((*meaning, sorted(more.items())) if more else meaning))


def check_request(request: RatingRequest) -> None:
    """Refuse options that contradict each other."""
    if request.rater_columns and request.wide is False:
        raise UsageError("--long has no columns of raters; leave --rater-columns out, or --long")
    if (
        (request.aspect is not None and not request.aspect.strip())
        or not request.named_suite.strip()
        or "/" in request.named_suite
    ):
        raise UsageError("--aspect and --suite need a name, and a suite's has no '/'")
    if request.identity is not None and request.by_scorer:
        raise UsageError("--identity is only for people; leave it out with --kind scorer")
    if request.saw_labels and not request.by_scorer:
        raise UsageError("--saw-labels is only for scorers: use it with --kind scorer")
    if KEEP_APART in request.merge and len(request.merge) > 1:
        raise UsageError("--merge none keeps all names apart and cannot be combined with other values")
    if request.transpose and (request.is_wide or request.value or request.prompt or request.generator or request.index):
        raise UsageError(
            "with --transpose a row is a person and a column an item; leave --wide, --value and the columns of prompt,"
            " generator and index out"
        )
    if request.pair and (request.is_wide or request.transpose or request.multiple or request.generator):
        raise UsageError("--pair is for a row per vote; leave --wide, --transpose, --multiple and --generator out")
    if request.header_lines is not None and request.header_lines < 1:
        raise UsageError("--header-lines counts all lines of the header, 1 or more")
