"""What is read in the background ends with the app that reads it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NoReturn

import pytest

from concord.importing.readings import Readings
from data.store.core.store import Store


@pytest.mark.parametrize("closes", [True, False])
def test_closing_the_app_while_something_is_read_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, closes: bool
) -> None:
    failed = []
    monkeypatch.setattr(threading, "excepthook", lambda args: failed.append(args.exc_type))
    with Store(tmp_path / "project") as store:

        def find() -> NoReturn:
            if closes:
                store.close()
            raise RuntimeError

        Readings(store).begin(find)
        for thread in threading.enumerate():
            if thread.name == "reading":
                thread.join()
    assert failed == ([] if closes else [RuntimeError])
