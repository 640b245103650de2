"""A folder that Hugging Face's ``datasets`` reads as it is: Parquet shards with the images in them, and a card."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pandas as pd

from data.export.formats import Columns, arrow_schema

IMAGES: Final[Columns] = {
    "image_id": "text",
    "prompt": "text",
    "suite": "text",
    "task": "text",
    "generator": "text",
    "index": "whole",
    "prompt_text": "text",
    "prompt_spec": "json",
    "sha256": "text",
    "width": "whole",
    "height": "whole",
}
_ROW_GROUP: Final = 32 * 2**20
_TYPES: Final = {"text": "string", "json": "string", "real": "float64", "whole": "int64", "truth": "bool"}


class Shards:
    """Writes one table of a data set as files of limited size: ``NAME/train-00000.parquet`` and so on."""

    def __init__(self, folder: Path, name: str, schema: Any, limit: int) -> None:
        self.rows = 0
        self._place = folder / name
        self._place.mkdir(parents=True)
        self._schema, self._limit = schema, limit
        self._n, self._written = 0, 0
        self._out: Any = None

    def put(self, table: Any, size: int) -> None:
        """Add rows of this many bytes; a file that has reached the limit gets no more."""
        from pyarrow import parquet as files

        if self._out is None:
            self._out = files.ParquetWriter(self._place / f"train-{self._n:05}.parquet", self._schema)
            self._n, self._written = self._n + 1, 0
        self._out.write_table(table)
        self._written += size
        self.rows += table.num_rows
        if self._written >= self._limit:
            self._end_file()

    def end(self) -> None:
        """All rows are there; a table without rows has a file, too."""
        if self._n == 0:
            self.put(self._schema.empty_table(), 0)
        self._end_file()

    def _end_file(self) -> None:
        if self._out is not None:
            self._out.close()
            self._out = None


def write_images(folder: Path, parts: Iterable[pd.DataFrame], project: Path, limit: int) -> tuple[int, int]:
    """Write the images with their files' bytes; returns how many there are, and of how many the file is not there."""
    import pyarrow as pa

    schema = _image_schema()
    shards = Shards(folder, "images", schema, limit)
    missing = 0
    for rows, size in _groups(parts, project, min(limit, _ROW_GROUP)):
        missing += sum(row["image"] is None for row in rows)
        shards.put(pa.Table.from_pylist(rows, schema), size)
    shards.end()
    return shards.rows, missing


def write_table(folder: Path, name: str, parts: Iterable[pd.DataFrame], columns: Columns, limit: int) -> int:
    """Write a table without images; returns how many rows it has."""
    import pyarrow as pa

    schema = arrow_schema(columns)
    shards = Shards(folder, name, schema, limit)
    for part in parts:
        table = pa.Table.from_pandas(part[list(columns)], schema, preserve_index=False).replace_schema_metadata()
        shards.put(table, table.nbytes)
    shards.end()
    return shards.rows


def _image_schema() -> Any:
    """The columns, the first of which ``datasets`` decodes as an image."""
    import pyarrow as pa

    features = {"image": {"_type": "Image"}}
    features |= {name: {"dtype": _TYPES[kind], "_type": "Value"} for name, kind in IMAGES.items()}
    image = pa.field("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    return pa.schema([image, *arrow_schema(IMAGES)], metadata=metadata)


def _groups(parts: Iterable[pd.DataFrame], project: Path, limit: int) -> Iterator[tuple[list[dict[str, Any]], int]]:
    """Rows with their images' bytes, as many as fit into memory together, and how large they are."""
    rows: list[dict[str, Any]] = []
    size = 0
    for part in parts:
        known = part.astype(object).where(part.notna(), None)
        for row in known.to_dict("records"):
            content = None
            if row["path"] is not None:
                with suppress(OSError):
                    content = (project / row["path"]).read_bytes()
            named = None if content is None else {"bytes": content, "path": f"{row['image_id']}{Path(row['path']).suffix}"}
            rows.append(
                {
                    "image": named,
                    **{
                        # whole numbers beside empty cells came as real ones
                        name: int(row[name]) if kind == "whole" and row[name] is not None else row[name]
                        for name, kind in IMAGES.items()
                    },
                }
            )
            size += len(content or b"") + 500
            if size >= limit:
                yield rows, size
                rows, size = [], 0
    if rows:
        yield rows, size


def card(title: str, sizes: dict[str, int]) -> str:
    """The README.md: what ``datasets`` reads first, and what the owner is to fill in."""
    configs = "".join(
        f"- config_name: {name}\n  default: {json.dumps(name == 'images')}\n"
        f"  data_files:\n  - split: train\n    path: {name}/*.parquet\n"
        for name in sizes
    )
    tables = "".join(f"| `{name}` | {n:,} |\n" for name, n in sizes.items())
    return (
        f"---\n# The owner of the images and answers fills this in before publishing, e.g. `license: cc-by-4.0`\nlicense:\n"
        f"pretty_name: {json.dumps(title)}\ntags:\n- text-to-image\n- human-evaluation\nconfigs:\n{configs}---\n\n"
        f"# {title}\n\nImages by text-to-image models, what people and automatic scorers say of them, written by Concord.\n\n"
        f"| table | rows |\n|---|---:|\n{tables}\n"
        "```python\nfrom datasets import load_dataset\n\n"
        'images = load_dataset("FOLDER", "images", split="train")\n'
        'judgements = load_dataset("FOLDER", "judgements", split="train")\n```\n\n'
        "`judgements.item` and `annotations.item` are an image's `image_id`; pairs and groups have ids of their own, and"
        " `annotations.images` lists what they show. A judgement counts where `excluded` is empty.\n\n"
        "## License\n\nTo be filled in by the owner.\n"
    )
