"""``doctor``: what is installed, which device and models there are, whether the project is healthy, and what to do."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Final

from concord.common import forwarding, machine, readiness
from concord.common.context import Context
from data.store import project_health
from data.store.core.store import StoreBusy
from data.store.project_health import HealthCheck

_MARKS: Final = {"ok": "ok  ", "note": "note", "attention": "!!  "}


def run_doctor(project: Path, form: str, areas: Sequence[str] = (), *, everything: bool = False) -> int:
    """Look, print what was found, and return the exit status: 1 where something is to be done."""
    # a process has a database open in one way at a time: those that read the project's take turns
    turn = Lock()

    def scorers() -> list[HealthCheck]:
        with turn:
            return readiness.check_scorers(project.resolve())

    def project_itself() -> list[HealthCheck]:
        with turn:
            return _check_project(project.resolve(), everything=everything)

    looks: dict[str, Callable[[], list[HealthCheck]]] = {
        "installed": machine.check_packages,
        "device": lambda: machine.check_devices(everything=everything),
        "models": machine.check_models,
        "scorers": scorers,
        "tools": machine.check_tools,
        "project": project_itself,
    }
    wanted = {area: look for area, look in looks.items() if not areas or area in areas}
    # torch is asked by a process of its own, which takes longest
    with ThreadPoolExecutor(len(wanted)) as pool:
        checks = [check for looked in [pool.submit(look) for look in wanted.values()] for check in looked.result()]
    if form == "json":
        print(json.dumps([asdict(check) for check in checks], indent=1, ensure_ascii=False))
    else:
        _print(checks)
    return 1 if any(check.level == "attention" for check in checks) else 0


def _check_project(project: Path, *, everything: bool) -> list[HealthCheck]:
    server = forwarding.living(project)
    if server is None:
        try:
            return project_health.closed(project, everything=everything)
        except StoreBusy as busy:
            server = forwarding.running(project)
            if server is None:
                return [HealthCheck("project", "attention", str(busy), "close what has it open, and look again")]
    out, err = io.StringIO(), io.StringIO()
    if forwarding.send(server, "doctor", {"everything": everything}, out, err):
        return [HealthCheck("project", "attention", " ".join(err.getvalue().split()), "restart the app")]
    return [HealthCheck(**fields) for fields in json.loads(out.getvalue())]


def examine_open_project(context: Context, everything: bool = False) -> None:
    """What the open app says of its project: findings as JSON."""
    # the open app has it in any case; the command alone needs none of all that it brings
    from concord.runs import run_session

    at_work = run_session.runs_at_work(context.store)
    context.say(json.dumps([asdict(check) for check in project_health.opened(context.store, at_work, everything=everything)]))


def _print(checks: Sequence[HealthCheck]) -> None:
    area = ""
    for check in checks:
        if check.area != area:
            area = check.area
            print(area)
        print(f"  {_MARKS[check.level]}  {_plain(check.text)}{f' -> {_plain(check.todo)}' if check.todo else ''}")
    n = sum(check.level == "attention" for check in checks)
    print("nothing needs attention" if not n else f"{n} of {len(checks)} findings need attention (!!)", file=sys.stdout)


def _plain(text: str) -> str:
    # a file's name may hold what moves a terminal's cursor
    return "".join(character if character.isprintable() else "?" for character in text)
