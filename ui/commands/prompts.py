"""``prompts`` writes a published suite's prompts; ``import prompts`` brings a file of them into a project."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TextIO

from data.files import write_whole
from data.prompts import geneval, sr2d
from data.prompts.prompt_files import format_prompts, read_prompts, write_prompts
from data.store import imports, library
from data.store.imports import ImportBundle
from ui.commands.context import CommandError, Context, UsageError, digest, report

_FIXED: Final = {
    sr2d.SUITE: sr2d.all_prompts,
    sr2d.SENTENCES_SUITE: sr2d.sentence_prompts,
    sr2d.SPLIT_SUITE: sr2d.split_sentence_prompts,
}
_SAMPLED: Final = {
    "geneval": (geneval.sample, geneval.SEED, geneval.N),
    sr2d.ATTRIBUTES_SUITE: (sr2d.attribute_prompts, sr2d.ATTRIBUTES_SEED, sr2d.N_ATTRIBUTE_PAIRS),
}


def write(suite: str, output: Path, seed: int | None, n: int | None, out: TextIO) -> None:
    """Write a suite's prompts to a file: ``geneval`` (published, or sampled anew), ``sr2d``, or one of ``sr2d_variants``.

    Raises:
        UsageError: a seed or a number was given that the suite has not.
    """
    if suite in _FIXED:
        found = _FIXED[suite]()
        if seed is not None or n is not None:
            raise UsageError(f"{suite} is one fixed list of {len(found):,} prompts; leave out --seed and --n")
    else:
        sample, usual_seed, usual_n = _SAMPLED[suite]
        try:
            found = sample(usual_seed if seed is None else seed, usual_n if n is None else n)
        except ValueError as error:
            raise UsageError(str(error)) from error
    write_prompts(found, output)
    print(f"{len(found)} prompts of suite {found[0].suite} written to {output}", file=out)


def export(context: Context, suite: str, output: str) -> None:
    """``export prompts``: a suite's prompts, as ``import prompts`` reads them."""
    found = library.prompts_of_suite(context.store, suite)
    if not found:
        raise CommandError(f"there are no prompts of suite {suite!r} in this project")
    write_whole(context.path(output), format_prompts(found).encode())
    context.say(f"{len(found)} prompts of suite {suite} in {output}")


def run(context: Context, file: str, suite: str) -> None:
    path = context.file(file)
    found = read_prompts(path, suite)
    (imported,) = imports.apply(context.store, [ImportBundle("prompts", suite, digest(path, suite), prompts=found)])
    report(context, f"{suite}: {imported.counts.get('prompts', 0)} new of {len(found)} prompts", imported)
