"""The request of ``serve``. Nothing heavy is imported, as it makes the command's options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from data.backup_schedule import EVERY_HOURS, KEEP, WEEKS
from data.requests import Request, Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeRequest(Request):
    """A request to serve a project: where to listen, who may come, how often it is backed up."""

    host: Annotated[str, Setting("Address to listen on; 0.0.0.0 for all networks. Anything but loopback needs --users.")] = (
        "127.0.0.1"
    )
    port: Annotated[int | None, Setting("Port; default: the first free one from 7860.", minimum=1, maximum=65535)] = None
    browser: Annotated[bool, Setting("Open the app in a browser.")] = True
    users: Annotated[Path | None, Setting("TOML file of accounts; everybody must sign in.", metavar="FILE")] = None
    root_path: Annotated[str, Setting("Path under which a proxy serves the app, such as /concord.", metavar="PATH")] = ""
    backup_every: Annotated[
        float, Setting("Time between automatic backups, made only after changes; 0: none.", minimum=0, metavar="HOURS")
    ] = EVERY_HOURS
    keep_backups: Annotated[
        int,
        Setting(f"Number of automatic backups to keep; the last of each of the {WEEKS} weeks before stays, too.", minimum=1),
    ] = KEEP
