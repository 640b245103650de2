"""``prompts`` writes a published suite's prompts; ``import prompts`` brings a file of them into a project."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from data.prompts import geneval, sr2d
from data.prompts.files import read_prompts, write_prompts
from data.store import imports
from data.store.imports import Bundle
from ui.commands.context import Context, UsageError, digest, report


def write(suite: str, output: Path, seed: int | None, n: int | None, out: TextIO) -> None:
    """Write the prompts of ``geneval`` (published, or sampled anew) or ``sr2d`` to a file.

    Raises:
        UsageError: a seed was given for a suite that is not sampled.
    """
    if suite == "sr2d":
        if seed is not None or n is not None:
            raise UsageError("sr2d is one fixed list of 31,680 prompts; leave out --seed and --n")
        found = sr2d.all_prompts()
    else:
        found = geneval.sample(geneval.SEED if seed is None else seed, geneval.N if n is None else n)
    write_prompts(found, output)
    print(f"{len(found)} prompts of suite {found[0].suite} written to {output}", file=out)


def run(context: Context, file: str, suite: str) -> None:
    path = context.file(file)
    found = read_prompts(path, suite)
    (imported,) = imports.apply(context.store, [Bundle("prompts", suite, digest(path, suite), prompts=found)])
    report(context, f"{suite}: {imported.counts.get('prompts', 0)} new of {len(found)} prompts", imported)
