"""Exporting: ratings, judgements and people's whole answers as files that are written whole or not at all.

Ratings are the judgements that count, as the long frame that the statistics used, with a hash of what they say. ``export
datasets`` writes a folder for Hugging Face's ``datasets``.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from agreement import Scale, ScaleError
from agreement.report.report import select
from concord.agreement import selected
from concord.common import wording
from concord.common.context import CommandError, Context, UsageError, writing
from data.aspects import Scales
from data.export import datasets, formats
from data.export.formats import Columns
from data.export.rows import ANSWER_COLUMNS, JUDGEMENT_COLUMNS, RATING_COLUMNS, SIMULATED
from data.files import safe_file_name, whole_file
from data.images.files import ImageError, open_image
from data.people import NamesAs, pseudonymous, without_names
from data.selection import Selection
from data.store.analysis import exports
from data.store.core import frame
from data.store.core.store import Store

HASHED = tuple(name for name in RATING_COLUMNS if name != "seq")
HASH_RULE = (
    "SHA-256 of the ratings that count: each a JSON array of its texts "
    f"({', '.join(HASHED)}; null for an empty one; no spaces, no ASCII escapes), the lines sorted and joined by LF, in UTF-8. "
    "The order in which they came in plays no part."
)


def data_hash(ratings: pd.DataFrame) -> str:
    """The hash of the rows of ``counted``, as ``HASH_RULE`` says."""
    texts = [ratings[name].astype(object).where(ratings[name].notna(), None).tolist() for name in HASHED]
    lines = sorted(json.dumps(cells, ensure_ascii=False, separators=(",", ":")) for cells in zip(*texts, strict=True))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def scales_of(judgements: pd.DataFrame, scales: Scales) -> pd.Series:
    """The scale of each row."""
    scale_texts = [scales[key] for key in zip(judgements.suite, judgements.aspect, strict=True)]
    return pd.Series(scale_texts, judgements.index, dtype=object)


def counted_ratings(judgements: pd.DataFrame, scales: Scales) -> pd.DataFrame:
    """The rows of ``frame.frame`` that statistics use, with the columns of ``export ratings``."""
    rows = judgements.assign(scale=scales_of(judgements, scales), value=rating_texts(judgements, scales))
    rows = rows[rows.value.notna()]
    human = rows.kind != "scorer"
    return rows.assign(
        kind=rows.kind.mask(human & rows.simulated.astype(bool), SIMULATED),
        identity=rows.identity.fillna("person").where(human, None),
    )[list(RATING_COLUMNS)].reset_index(drop=True)


def rating_texts(judgements: pd.DataFrame, scales: Scales) -> pd.Series:
    """Each row's value as a text; None where it does not count.

    That is what ``excluded`` names, what has no value on its scale, and consensus, which is computed from people.
    """
    texts = pd.Series(None, judgements.index, dtype=object)
    rows = judgements[judgements.excluded.isna() & (judgements.kind != "consensus")]
    for (suite, aspect), part in rows.groupby(["suite", "aspect"], sort=False):
        texts[part.index] = _label_texts(Scale.parse(scales[str(suite), str(aspect)]), part)
    return texts


def _label_texts(scale: Scale, rows: pd.DataFrame) -> pd.Series:
    """Each row's value as a text, None where it is not on the scale."""
    if scale.kind == "interval":
        return rows.number.map(lambda number: repr(float(number)) if np.isfinite(number) else None)
    known = {label: label if _is_on_scale(scale, label) else None for label in rows.label.dropna().unique()}
    return rows.label.map(known)


def _is_on_scale(scale: Scale, label: str) -> bool:
    if scale.kind == "nominal":
        return label != ""
    try:
        scale.read(label)
    except ScaleError:
        return False
    return True


def export_ratings(context: Context, selection: Mapping[str, Sequence[str]], form: str | None, output: str) -> None:
    """``export ratings``: the long frame that the statistics used; ``import ratings`` reads it without options."""
    parts = judgement_parts(context.store, selected(context, selection))
    rows = ((judgements, counted_ratings(judgements, scales)) for judgements, scales in parts)
    count = _write(context, output, form, RATING_COLUMNS, rows)
    context.say(f"{wording.count(count.written, 'rating')} of {wording.count(len(count.items), 'item')} in {output}")


def export_judgements(context: Context, selection: Mapping[str, Sequence[str]], form: str | None, output: str) -> None:
    """``export judgements``: all of the selection, those left out too, with where they come from and why they do not count."""
    count = _write(context, output, form, JUDGEMENT_COLUMNS, judgement_rows(context.store, selected(context, selection)))
    left = sum(count.excluded.values())
    context.say(f"{wording.count(count.written, 'judgement')} in {output}, of which {left:,} do not count")


def judgement_rows(store: Store, chosen: Selection) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """The selected judgements part by part, as they are and as they are written."""
    for judgements, scales in judgement_parts(store, chosen):
        yield judgements, judgements.assign(scale=scales_of(judgements, scales)).rename(columns={"number": "value"})


@dataclass(slots=True)
class ExportCount:
    """What has come past: rows written, the items that they are about, and why some do not count."""

    read: int = 0
    written: int = 0
    items: set[str] = field(default_factory=set)
    excluded: Counter[str] = field(default_factory=Counter)

    def add(self, judgements: pd.DataFrame, exported: pd.DataFrame) -> None:
        """Count a part: all that was read, and what of it is written."""
        self.read += len(judgements)
        self.written += len(exported)
        self.items.update(exported.item.unique())
        self.excluded.update(judgements.excluded.dropna())


def _write(
    context: Context, output: str, form: str | None, columns: Columns, parts: Iterable[tuple[pd.DataFrame, pd.DataFrame]]
) -> ExportCount:
    """Write a file part by part, each as it was read and as it is written; it is there once all is written.

    Raises:
        CommandError: it cannot be written, or nothing was.
    """
    form, path = export_target(context, output, form, formats.FORMATS)
    count = ExportCount()
    with writing(path), whole_file(path) as file:
        with formats.writing(form, file, columns) as put:
            for judgements, written in parts:
                count.add(judgements, written)
                put(written)
        if not count.written:
            raise CommandError(why_no_rows(count.read, count.excluded))
    return count


def why_no_rows(read: int, excluded: Counter[str]) -> str:
    """Why there is nothing to export: of how many judgements none counts, and why not."""
    if not read:
        return "there is nothing in this selection; nothing was written"
    left = [f"{n:,} {wording.reason(name)}" for name, n in excluded.most_common()]
    return f"no judgement of this selection counts ({', '.join(left) or 'none has a value'}); nothing was written"


def judgement_parts(store: Store, chosen: Selection) -> Iterator[tuple[pd.DataFrame, Scales]]:
    """The selected judgements part by part, each with the scales of all."""
    if chosen.certainty:
        # how far people agree is told from all that they said
        judgements = exports.judgements(store, chosen)
        scales = frame.scales(store)
        yield select(judgements, scales, chosen.certainty), scales
        return
    scales = {}
    for part in exports.judgement_batches(store, chosen):
        # read after the judgements' state was taken: none of them lacks its scale
        scales = scales or frame.scales(store)
        yield part, scales


def export_target(context: Context, output: str, form: str | None, known: tuple[str, ...]) -> tuple[str, Path]:
    """The format and where the file goes; a format that is not said is the file's ending.

    Raises:
        UsageError: this cannot be written in that format.
    """
    path = context.path(output)
    form = form or path.suffix.removeprefix(".").lower()
    if form not in known:
        raise UsageError(f"--format is one of {', '.join(known)}" + (f", not {form}" if form else ""))
    return form, path


def why_no_ratings(judgements: pd.DataFrame) -> str:
    """Why there is nothing to export."""
    return why_no_rows(len(judgements), Counter(judgements.excluded.dropna()))


def export_annotations(
    context: Context, selection: Mapping[str, Sequence[str]], form: str | None, output: str, named: NamesAs
) -> None:
    """Write the selected answers with all their revisions; ``import exported`` reads them back."""
    parts = annotation_parts(context.store, selected(context, selection), named)
    count = _write(context, output, form, ANSWER_COLUMNS, ((part.assign(excluded=None), part) for part in parts))
    context.say(f"{wording.count(count.written, 'answer')} about {wording.count(len(count.items), 'item')} in {output}")


def annotation_parts(store: Store, chosen: Selection, named: NamesAs) -> Iterator[pd.DataFrame]:
    """The selected answers part by part."""
    ids = None
    if chosen.certainty:
        judgements = select(exports.judgements(store, chosen), frame.scales(store), chosen.certainty)
        ids = sorted(judgements.loc[judgements.kind != "scorer", "source_id"].unique())
    for part in exports.answer_batches(store, chosen, ids):
        yield without_names(part, store.secret) if named == "pseudonyms" else part


_NO_SPEC: Final = "its prompt has no specification of GenEval's"
_NO_FILE: Final = "it has no file"
_IMAGE_COLUMNS: Final = ("prompt", "prompt_text", "prompt_spec", "generator", "index", "path", "sha256")


@dataclass(frozen=True, slots=True)
class _PromptImage:
    """An image with its prompt: the `_IMAGE_COLUMNS` of a row; spec and path are no texts where there are none."""

    prompt: str
    text: str
    spec: str | None
    generator: str
    number: int
    path: str | None
    sha256: str | None


def export_images(context: Context, selection: Mapping[str, Sequence[str]], output: str) -> None:
    """Write the images of GenEval-like prompts as GenEval's own scripts read them, whole or not at all: for each generator a
    folder, in it ``00000/samples/00000.png`` and ``00000/metadata.jsonl``.

    Raises:
        CommandError: the folder is not empty, or there is no such image.
    """
    store, left_out, n = context.store, Counter[str](), 0
    numbers: dict[str, int] = {}
    with _new_folder(context, output) as folder:
        for part in exports.image_batches(store, selected(context, selection)):
            for image in (_PromptImage(*cells) for cells in part[list(_IMAGE_COLUMNS)].itertuples(index=False, name=None)):
                spec = json.loads(image.spec) if isinstance(image.spec, str) else {}
                if "include" not in spec:
                    left_out[_NO_SPEC] += 1
                    continue
                if not isinstance(image.path, str):
                    left_out[_NO_FILE] += 1
                    continue
                try:
                    picture = open_image(store.project / image.path, image.sha256)
                except ImageError as error:
                    left_out[error.reason] += 1
                    continue
                number = numbers.setdefault(image.prompt, len(numbers))
                home = folder / safe_file_name(image.generator) / f"{number:05d}"
                (home / "samples").mkdir(parents=True, exist_ok=True)
                picture.save(home / "samples" / f"{image.number:05d}.png")
                line = json.dumps({**spec, "prompt": image.text}, ensure_ascii=False)
                (home / "metadata.jsonl").write_text(f"{line}\n", encoding="utf-8")
                n += 1
        if not n:
            why = f": {'; '.join(left_out)}" if left_out else ""
            raise CommandError(f"there is no image to write{why}; nothing was written")
    context.say(
        f"{wording.count(n, 'image')} of {wording.count(len(numbers), 'prompt')} in {output}, a folder for each generator"
    )
    for reason, count in left_out.items():
        context.warn(f"{wording.count(count, 'image')} left out: {reason}")


@contextmanager
def _new_folder(context: Context, output: str) -> Iterator[Path]:
    """A folder to write into, which gets its name when all is written.

    Raises:
        CommandError: there is such a folder with something in it, or it cannot be written.
    """
    folder = context.path(output)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise CommandError(f"{output} exists and is not an empty folder; choose a new one")
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        with writing(folder):
            temporary.mkdir()
            yield temporary
            temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


_MEBIBYTE = 2**20


def export_datasets(context: Context, selection: Mapping[str, Sequence[str]], output: str, named: NamesAs, shard: int) -> None:
    """Write the folder, whole or not at all; ``shard`` is the size of a file in MiB, from which the next one begins."""
    chosen = selected(context, selection)
    store, limit = context.store, shard * _MEBIBYTE
    with _new_folder(context, output) as folder:
        n, missing = datasets.write_images(folder, exports.image_batches(store, chosen), store.project, limit)
        judged = (written for _, written in judgement_rows(store, chosen))
        if named == "pseudonyms":
            judged = (part.assign(rater=pseudonymous(part, store.secret)) for part in judged)
        n_judgements = datasets.write_table(folder, "judgements", judged, JUDGEMENT_COLUMNS, limit)
        answers = annotation_parts(store, chosen, named)
        n_answers = datasets.write_table(folder, "annotations", answers, ANSWER_COLUMNS, limit)
        sizes = {"images": n, "judgements": n_judgements, "annotations": n_answers}
        if not any(sizes.values()):
            raise CommandError("there is nothing in this selection; nothing was written")
        (folder / "README.md").write_text(datasets.card(context.path(output).name, sizes), encoding="utf-8")
    context.say(
        f"{wording.count(n, 'image')}, {wording.count(n_judgements, 'judgement')},"
        f" {wording.count(n_answers, 'answer')} in {output}; fill in the licence in its README.md"
    )
    if missing:
        context.warn(f"{wording.count(missing, 'image')} without a file: their rows have no picture")
