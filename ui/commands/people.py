"""The commands ``people``: who did how much, invitations, revoking and erasing."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from data.people import Role, platform_pseudonym
from data.store.backup import copies
from data.store.campaigns import management, monitoring
from data.store.core.campaign_items import DEFAULT
from data.store.core.store import Store
from data.store.judgements import revocations
from data.store.people import erasing, invitations
from data.store.people.invitations import Terms
from data.tables import escape_formula
from ui.access import links
from ui.access.platforms import Participant
from ui.commands.context import CommandError, Context, UsageError

BY = "command line"
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_COLUMNS = (
    "campaign",
    "person",
    "valid",
    "surplus",
    "gold",
    "gold_right",
    "attention",
    "attention_right",
    "training",
    "training_right",
    "active_minutes",
    "first",
    "last",
    "revoked",
    "paused",
    "same_network",
    "other_browsers",
    "simulated",
)
_TEXT_FILES = {".csv", ".tsv", ".json", ".jsonl", ".html", ".md", ".txt", ".toml", ".log"}
_MAX_SEARCHED = 200 * 2**20


def listing(context: Context, campaign: str | None, form: str) -> None:
    """``people list``."""
    rows = [_row(name, one) for name in _campaigns(context.store, campaign) for one in monitoring.workers(context.store, name)]
    if not rows and form == "table":
        raise CommandError("nobody has answered anything yet")
    _write(context, _COLUMNS, rows, form)


def invite(
    context: Context,
    campaign: str,
    role: Role,
    expires: str,
    uses: int | None,
    note: str,
    address: str = "",
    signed: bool = False,
) -> None:
    """``people invite``."""
    named = None if campaign == DEFAULT else campaign
    terms = Terms(campaign=named, role=role, expires=_moment(expires), uses=uses, note=note, signed=signed)
    made = invitations.create(context.store, terms, BY)
    context.say(address.rstrip("/") + links.address(context.store, made))
    how_many = "" if uses is None else f" for {uses} {'person' if uses == 1 else 'people'}"
    context.warn(f"invitation {made.invitation_id} as {role} to {campaign}{how_many}, until {made.expires:%Y-%m-%d %H:%M} UTC")
    if not address:
        context.warn("put the address before it under which people reach the app")


def invited(context: Context, campaign: str | None, form: str) -> None:
    """``people invitations``."""
    found = invitations.listed(context.store, campaign)
    if not found and form == "table":
        raise CommandError("there are no invitations; `people invite` makes one")
    now = datetime.now(UTC)
    rows = [
        {
            "id": one.invitation_id,
            "campaign": one.campaign or DEFAULT,
            "role": one.role,
            "state": "revoked" if one.revoked else "expired" if one.closed(now) else "open",
            "used": one.used,
            "uses": one.uses,
            "expires": one.expires.isoformat(timespec="minutes"),
            "note": one.note,
            "link": links.address(context.store, one),
        }
        for one in found
    ]
    _write(context, ("id", "campaign", "role", "state", "used", "uses", "expires", "note", "link"), rows, form)


def uninvite(context: Context, invitation: str) -> None:
    """``people uninvite``."""
    invitations.revoke(context.store, invitation)
    context.say("the invitation is taken back: its link and the sessions that began with it end; what was said stays")


def revoke(context: Context, name: str, campaign: str | None, uncounted: bool) -> None:
    """``people revoke``."""
    _known(context.store, name, campaign)
    n = revocations.revoke(context.store, name, BY, campaign, uncount=uncounted)
    counted = f"; {n} answers count no more" if uncounted else "; what they answered counts as before (--uncounted)"
    context.say(f"{name} gets nothing more in {campaign or 'any campaign'}, and others get what they held{counted}")


def reinstate(context: Context, name: str, campaign: str | None) -> None:
    """``people reinstate``."""
    if not any((one.person, one.campaign) == (name, campaign) for one in revocations.current_revocations(context.store)):
        where = f" from {campaign}" if campaign else " from the whole project (from one campaign: --campaign)"
        raise CommandError(f"{name!r} is not revoked{where}")
    n = revocations.restore(context.store, name, BY, campaign)
    context.say(f"{name} may go on in {campaign or 'all campaigns'}; {n} answers count again")


def erase(context: Context, name: str) -> None:
    """``people erase``."""
    removed = erasing.erase(context.store, name)
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
    found = copies.erase_from_copies(context.store, [name])
    for one in found:
        if one.outcome in ("erased", "clean"):
            context.say(f"without them: {_shown(context, one.path)}")
    for one in found:
        if one.outcome == "gone":
            context.warn(f"not reached, as it is not there any more (if it was moved, erase them there): {one.path}")
    for path in _naming(context.store.project, name):
        context.warn(f"not touched, and it holds this name: {path}")
    context.warn("not touched: tables, reports and datasets that were exported, and what was copied by hand")
    failed = [one for one in found if one.outcome == "failed"]
    for one in failed:
        context.warn(f"may still hold them: {one.path}: {one.why}")
    if failed:
        raise CommandError(
            f"not complete: {len(failed)} of {len(found)} copies could not be written anew; delete them or put them right, then"
            " erase again"
        )


def _shown(context: Context, path: Path) -> Path:
    project = context.store.project
    return path.relative_to(project) if project in path.parents else path


def named(context: Context, platform: str, identifier: str) -> None:
    """``people pseudonym``."""
    context.say(platform_pseudonym(context.store.secret, platform, identifier.strip()))


def link(context: Context, invitation: str, platform: str, identifier: str, address: str) -> None:
    """``people link``."""
    found = invitations.get(context.store, invitation)
    if found is None:
        raise CommandError(f"there is no invitation {invitation!r}; `people invitations` lists them")
    person = Participant(platform, identifier.strip())
    context.say(address.rstrip("/") + links.personal(context.store, found, person))


def code(context: Context, name: str) -> None:
    """``people code``."""
    try:
        context.say(invitations.renew_code(context.store, name))
    except KeyError:
        raise CommandError(f"nobody called {name!r} came from a crowd platform; `people list` has the names") from None
    context.warn(f"the re-entry code of {name}: shown only now")


def _row(campaign: str, one: monitoring.WorkerStats) -> dict[str, Any]:
    told = {name: getattr(one, name) for name in _COLUMNS if hasattr(one, name)}
    moments = {name: value.isoformat(timespec="minutes") for name in ("first", "last") if (value := getattr(one, name))}
    minutes = None if one.seconds is None else round(one.seconds / 60, 1)
    return told | moments | {"campaign": campaign, "active_minutes": minutes}


def _campaigns(store: Store, campaign: str | None) -> list[str]:
    names = [one.campaign_id for one in management.listed(store)]
    if campaign is None:
        return names
    if campaign not in (*names, DEFAULT):
        raise CommandError(f"there is no campaign {campaign!r}; there are {', '.join(names) or 'none'}")
    return [campaign]


def _known(store: Store, name: str, campaign: str | None) -> None:
    if campaign is not None:
        _campaigns(store, campaign)
    if not revocations.is_person(store, name):
        raise CommandError(f"there is nobody called {name!r} in this project; `people list` has the names")


def _moment(text: str) -> datetime:
    """So long from now, or the end of a date."""
    if found := re.fullmatch(r"(\d{1,4})([mhdw])", text.strip()):
        return datetime.now(UTC) + timedelta(**{_UNITS[found[2]]: int(found[1])})
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"--expires {text!r}: write 30m, 12h, 7d or 4w, or a date such as 2027-01-31") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment + timedelta(days=1) if len(text) == len("2027-01-31") else moment


def _write(context: Context, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], form: str) -> None:
    if form == "json":
        context.say(json.dumps([{name: row.get(name) for name in columns} for row in rows], ensure_ascii=False, indent=1))
    elif form == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_unarmed(row.get(name)) for name in columns] for row in rows)
        context.say(text.getvalue().rstrip("\n"))
    else:
        lines = [[*columns], *([_cell(row.get(name)) for name in columns] for row in rows)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
        for line in lines:
            context.say("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def _unarmed(value: Any) -> Any:
    return escape_formula(value) if isinstance(value, str) else value


def _cell(value: Any) -> str:
    if value is None or value is False:
        return "-"
    # a name may hold what moves a terminal's cursor
    return "yes" if value is True else "".join(character if character.isprintable() else "?" for character in str(value))


def _naming(project: Path, name: str) -> list[Path]:
    """Files in the project's folder that hold a name, so far as they are text."""
    sought = name.encode()
    files = (path for path in sorted(project.rglob("*")) if path.suffix in _TEXT_FILES and path.is_file())
    # a name of one or two letters is in every text
    return [path for path in files if len(sought) > 2 and path.stat().st_size < _MAX_SEARCHED and sought in path.read_bytes()]
