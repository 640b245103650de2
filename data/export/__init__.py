"""Tables that leave a project: which columns they have, and the formats of their files."""

from enum import StrEnum


class TableFormat(StrEnum):
    """A file of rows; ``formats`` has a writer for each."""

    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"
