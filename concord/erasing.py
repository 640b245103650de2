"""Erasing a person: what they are owed is said first and stays as a line without a name; then everything of theirs goes, from
the copies of the project, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from concord.campaigns import payment
from concord.campaigns.payment import Debt
from concord.common import wording
from concord.common.context import CommandError, Context
from data.files import printable
from data.store.backup import restoring
from data.store.core.store import Store
from data.store.erased import ErasedRows
from data.store.people import erasing

_TEXT_FILES = {".csv", ".tsv", ".json", ".jsonl", ".html", ".md", ".txt", ".toml", ".log"}
_MAX_SEARCHED = 200 * 2**20


def erase_person(store: Store, name: str) -> ErasedRows:
    """Erase a person from the database, and keep what they earned without their name.

    Raises:
        NoSuchPerson: there is none of this name, or it is a scorer's or a study's slot.
    """
    return erasing.erase(store, name, lambda: [debt.line for debt in payment.debts(store, name)])


def erase_everywhere(store: Store, name: str) -> tuple[ErasedRows, list[str]]:
    """Erase a person from the database and from its copies; return what went, and the copies that could not be rewritten.

    Raises:
        NoSuchPerson: there is none of this name, or it is a scorer's or a study's slot.
    """
    removed = erase_person(store, name)
    copies = restoring.erase_from_copies(store, [name])
    return removed, [str(copy.path) for copy in copies if copy.outcome == "failed"]


def describe_debts(owed: Sequence[Debt]) -> list[str]:
    """Return a line for each campaign in which somebody is owed something."""
    return [
        f"{debt.campaign}: {debt.paid.payout.pay:,} {debt.currency}".rstrip()
        + f" for {wording.count(debt.paid.work.items, 'item')} ({debt.paid.payout.decision})"
        for debt in owed
    ]


def print_debts(context: Context, name: str) -> None:
    """``people owed``."""
    lines = describe_debts(payment.debts(context.store, name))
    context.say(*(lines or [f"{printable(name)} is owed nothing"]))


def erase(context: Context, name: str, keep_debt: bool = False) -> None:
    """``people erase``: refused while something is owed, until that was said.

    Raises:
        CommandError: something is owed, or a copy could not be rewritten.
    """
    if (owed := payment.debts(context.store, name)) and not keep_debt:
        raise CommandError(
            f"{name!r} cannot be paid once erased, and this campaign's pay says: {'; '.join(describe_debts(owed))}. Pay it"
            " (campaigns pay), then erase with --keep-debt: a line without a name keeps the sum"
        )
    removed = erase_person(context.store, name)
    for line in describe_debts(owed):
        context.say(f"kept without a name: {line}")
    context.say(
        f"erased: {removed.annotations} answers, {removed.judgements} judgements, {removed.adjudications} verdicts by or about"
        " them; the database file is written anew. A keyed hash of the name stays, so that they do not come back unnoticed"
    )
    _reach_copies(context, name)


def _reach_copies(context: Context, name: str) -> None:
    """Take an erased person out of backups and snapshots, and say what was reached.

    Raises:
        CommandError: they may still be in one of them.
    """
    erasures = restoring.erase_from_copies(context.store, [name])
    project = context.store.project
    for erasure in erasures:
        if erasure.outcome in ("erased", "clean"):
            path = erasure.path
            context.say(f"without them: {path.relative_to(project) if project in path.parents else path}")
    for erasure in erasures:
        if erasure.outcome == "gone":
            context.warn(f"not reached, as it is not there any more (if it was moved, erase them there): {erasure.path}")
    for path in _files_naming(project, name):
        context.warn(f"not touched, and it holds this name: {path}")
    context.warn("not touched: tables, reports and datasets that were exported, and what was copied by hand")
    failed = [erasure for erasure in erasures if erasure.outcome == "failed"]
    for erasure in failed:
        context.warn(f"may still hold them: {erasure.path}: {erasure.why}")
    if failed:
        raise CommandError(
            f"not complete: {len(failed)} of {len(erasures)} copies could not be rewritten; delete or repair them,"
            " then erase again"
        )


def _files_naming(project: Path, name: str) -> list[Path]:
    """Files in the project's folder that hold a name, so far as they are text."""
    sought = name.encode()
    files = (path for path in sorted(project.rglob("*")) if path.suffix in _TEXT_FILES and path.is_file())
    # a name of one or two letters is in every text
    return [path for path in files if len(sought) > 2 and path.stat().st_size < _MAX_SEARCHED and sought in path.read_bytes()]
