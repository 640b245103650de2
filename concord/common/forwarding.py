"""Forwarding commands to the open app: its address lies in the project, and one route runs what it is sent."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO, get_type_hints

FILE = ".server.json"
UNKNOWN_COMMAND = "There is no such command."
"""What the command route answers to a name that it does not know."""
_ANSWER_SECONDS = 2.0


COMMANDS: dict[str, str] = {
    "doctor": "concord.maintenance.doctor:examine_open_project",
    "library": "concord.library_tables:write_tables",
    "prompt-inputs": "concord.common.readiness:print_prompt_inputs",
}
"""What can be done with a project, here or in the app that has it open: a name, and ``module:function``, imported when it is
run. Parameters are JSON. ``doctor`` and the library ask an open app by themselves; each command of ``ui.cli`` adds itself.
"""


REQUEST = "request"
"""The parameter that holds a command's request (`data.requests`), if it takes one."""


def call(function: str, context: Any, parameters: Mapping[str, Any]) -> None:
    """Call ``module:function`` with a context and parameters as JSON has them; its request is made a record again.

    Raises:
        ValueError: the request has a value that it cannot have.
    """
    module, name = function.split(":")
    work = getattr(import_module(module), name)
    if REQUEST in parameters:
        from data.validation import record_of

        parameters = {**parameters, REQUEST: record_of(get_type_hints(work)[REQUEST], parameters[REQUEST])}
    work(context, **parameters)


@dataclass(frozen=True, slots=True)
class OpenApp:
    """An open app: where it listens and the token that it wants to see."""

    host: str
    port: int
    token: str
    pid: int


def announce(project: Path, server: OpenApp) -> None:
    """Write the address into the project, for this user's eyes alone."""
    path = project / FILE
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(server), file)


def withdraw(project: Path, server: OpenApp) -> None:
    """Remove the address if it is still this server's: another may have announced itself since."""
    if running(project) == server:
        (project / FILE).unlink(missing_ok=True)


def running(project: Path) -> OpenApp | None:
    """The app that has this project open, if it left its address."""
    path = project / FILE
    if not path.is_file():
        return None
    # every command asks, and most find no app
    from data.jobs.json_records import read_record

    with suppress(ValueError):
        return read_record(OpenApp, path)
    return None


def living(project: Path) -> OpenApp | None:
    """Return the app that has this project open, if it answers to its token; an app that was killed leaves its address behind.

    It has the project also where the database's file was deleted or replaced under it, so that its lock keeps nobody out.
    """
    server = running(project)
    if server is None:
        return None
    import httpx

    unreachable = (httpx.HTTPError, httpx.InvalidURL, ValueError, OverflowError)
    with suppress(*unreachable), httpx.Client(trust_env=False, timeout=_ANSWER_SECONDS) as client:
        response = client.post(
            f"http://{_authority(server)}/command",
            json={"name": "", "parameters": {}, "cwd": ""},
            headers=_authorization(server),
        )
        # whatever else listens there now does not know this sentence
        if response.status_code == 404 and response.json() == {"detail": UNKNOWN_COMMAND}:
            return server
    return None


def _authority(server: OpenApp) -> str:
    return f"{f'[{server.host}]' if ':' in server.host else server.host}:{server.port}"


def _authorization(server: OpenApp) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.token}"}


def send(server: OpenApp, name: str, parameters: Mapping[str, Any], out: TextIO, err: TextIO) -> int:
    """Have the app run a command; passes its output on as it comes and returns its exit status."""
    import httpx

    # ASCII JSON, as a file's name may hold bytes that are no UTF-8
    body = json.dumps({"name": name, "parameters": parameters, "cwd": str(Path.cwd())})
    headers = _authorization(server) | {"Content-Type": "application/json"}
    try:
        with (
            httpx.Client(trust_env=False, timeout=httpx.Timeout(10, read=None)) as client,
            client.stream("POST", f"http://{_authority(server)}/command", content=body, headers=headers) as response,
        ):
            if response.status_code != 200:
                print(
                    f"{name}: the open app refused the command (HTTP {response.status_code}); restart it and try again",
                    file=err,
                )
                return 1
            for line in response.iter_lines():
                status, text, stream = map(json.loads(line).get, ("exit", "text", "stream"))
                if status is not None:
                    return int(status)
                print(text, end="", file=err if stream == "err" else out, flush=True)
    except httpx.HTTPError as error:
        print(f"{name}: the app that has the project open (process {server.pid}) does not answer: {error}", file=err)
        return 1
    print(f"{name}: the app was closed before the command had ended", file=err)
    return 1
