"""``import cooccurrence``: which classes are together in how many photographs, from an annotation file of COCO's kind."""

from __future__ import annotations

import hashlib

from data.files import check_name
from data.formats.cooccurrence import read_cooccurrence
from data.store import imports
from data.store.imports import ImportBundle
from ui import words
from ui.commands.context import CommandError, Context, report


def run(context: Context, file: str, called: str | None) -> None:
    """Import the table; what made no sense in the file is told and left out, and the job is not wholly done then."""
    path = context.file(file)
    name = check_name(path.stem if called is None else called, "the name")
    with path.open("rb") as content:
        sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    read = read_cooccurrence(path, name)
    found = read.found
    (imported,) = imports.apply(context.store, [ImportBundle("cooccurrence", name, sha256, cooccurrence=found, exclusive=True)])
    classes = sum(a == b for a, b in found.together)
    pairs = words.count(len(found.together) - classes, "pair")
    report(context, f"{name}: {pairs} of {classes:,} classes together in {found.images:,} images", imported)
    for line in read.left:
        context.warn(f"left out: {line}")
    if read.left:
        raise CommandError("some of the file was left out (see above); the rest is in")
