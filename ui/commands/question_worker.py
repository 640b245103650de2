"""Where questions are written and answered: in a worker process that loads the model, or at an endpoint, a few at a time."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any, Final

from scorers.models.language_endpoint import Completion, Endpoint, EndpointError, Failure
from ui.commands.context import CommandError
from ui.commands.working import ROOT

_AT_ONCE: Final = 4


def worked(job: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What ``scorers.questions.writing`` gives for a job, one by one; whoever stops reading ends the worker.

    Raises:
        CommandError: the worker ended before its time; its last words.
    """
    with tempfile.TemporaryFile() as log:
        # a session of its own: Ctrl-C in the terminal is for us
        worker = subprocess.Popen(
            [sys.executable, "-m", "scorers.questions.writing"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        try:
            with suppress(BrokenPipeError), worker.stdin as file:
                file.write(json.dumps(job).encode())
            with worker.stdout as lines:
                for line in lines:
                    yield json.loads(line)
            if worker.wait():
                raise CommandError(_last_words(log, worker.returncode))
        finally:
            worker.terminate()
            worker.wait()


def written(model: str, device: str, captions: Sequence[str]) -> Iterator[Completion | Failure]:
    """What a model on this machine writes about each caption, in order. Raises as ``worked``."""
    for found in worked({"do": "write", "model": model, "device": device, "asked": [{"caption": one} for one in captions]}):
        yield Failure(found["failed"]) if "failed" in found else Completion(**found)


def asked(endpoint: Endpoint, captions: Sequence[str]) -> Iterator[Completion | Failure]:
    """What an endpoint writes about each caption, in order; a few are on the way at once.

    Raises:
        CommandError: nothing more is to be had from it.
    """
    pool = ThreadPoolExecutor(_AT_ONCE)
    waiting: deque[Future[Completion | Failure]] = deque()
    try:
        for caption in captions:
            waiting.append(pool.submit(endpoint.complete, caption))
            if len(waiting) == _AT_ONCE:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except EndpointError as error:
        raise CommandError(str(error)) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        endpoint.close()


def _last_words(log: IO[bytes], status: int) -> str:
    if status < 0:
        return f"the worker was killed ({signal.Signals(-status).name}); perhaps the memory did not suffice"
    log.seek(0)
    said = [line for line in log.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return said[-1].strip() if said else f"the worker ended with status {status} and said nothing"
