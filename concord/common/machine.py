"""What this machine has of what Concord uses: packages, devices, models, Chromium, fonts, ports. Nothing heavy is imported.

Devices are looked for without a model's framework: the graphics cards' own tool is asked.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from data.store.project_health import HealthCheck, Level
from data.version import concord_version
from scorers import registry
from scorers.models import downloads, files, hub

if TYPE_CHECKING:
    from scorers.base import Scorer


BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
ROOT: Final = Path(__file__).resolve().parents[2]
_PURPOSE: Final[Mapping[str, str]] = {
    "scorers": "scorers and generators; a server that only collects labels needs none",
    "yolo": "YOLO detectors, and two photographs that other detectors are checked on",
    "umap": "the map as UMAP lays it out",
    "ray": "score --engine ray",
    "dev": "tests",
}
_PROBE_SECONDS: Final = 60
_PROBE: Final = """
import json, sys
import torch
found = {"torch": torch.__version__, "cuda": [], "mps": False, "threads": torch.get_num_threads(), "built": torch.version.cuda}
if torch.cuda.is_available():
    for n in range(torch.cuda.device_count()):
        about = torch.cuda.get_device_properties(n)
        found["cuda"].append([about.name, about.total_memory])
found["mps"] = bool(getattr(torch.backends, "mps", None) and torch.backends.mps.is_available())
print(json.dumps(found))
"""
_DRIVERS: Final = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")
"""Of NVIDIA, AMD, and Windows below Linux."""
_PORTS: Final = range(7860, 7880)


def browser() -> str | None:
    """A Chromium of this machine, which prints reports as PDF."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def check_packages() -> list[HealthCheck]:
    """Packages of each group, held against what is pinned."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    text = f"Concord {concord_version()}, Python {sys.version.split()[0]} on {sys.platform}"
    checks = [HealthCheck("installed", "ok", text)]
    groups = {"core": about["project"]["dependencies"], **about["dependency-groups"]}
    usual = set(about["tool"]["uv"]["default-groups"])
    for group, pins in groups.items():
        checks.append(_group(group, [pin.split("==") for pin in pins], usual=group == "core" or group in usual))
    return checks


def _group(group: str, pins: Sequence[Sequence[str]], *, usual: bool) -> HealthCheck:
    there, missing, other = 0, [], []
    for name, pinned in pins:
        try:
            have = version(name)
        except PackageNotFoundError:
            missing.append(name)
            continue
        there += 1
        if have.split("+")[0] != pinned:
            other.append(f"{name} {have} instead of {pinned}")
    todo = "uv run app.py puts it right" if usual else f"uv run --group {group} app.py"
    purpose = f" (for {_PURPOSE[group]})" if group in _PURPOSE else ""
    if not there and group != "core":
        return HealthCheck("installed", "note", f"{group}: not installed{purpose}", f"if you want it: {todo}")
    if missing or other:
        level: Level = "attention" if group != "dev" else "note"
        problems = [*(f"{name} is missing" for name in missing), *other]
        return HealthCheck("installed", level, f"{group}: {', '.join(problems)}{purpose}", todo)
    return HealthCheck("installed", "ok", f"{group}: {there} {'package' if there == 1 else 'packages'}, as pinned")


def has_gpu() -> bool:
    """Return True if there is a graphics card's driver; whether torch can use it is not asked, as that takes seconds."""
    return sys.platform == "darwin" or shutil.which("nvidia-smi") is not None or any(map(os.path.exists, _DRIVERS))


def check_devices(*, everything: bool = False) -> list[HealthCheck]:
    """What models can run on.

    Torch takes seconds to open. It is asked, in a process of its own that knows no network, where there may be a GPU for it to
    see, or ``everything`` is looked at.
    """
    try:
        torch = version("torch")
    except PackageNotFoundError:
        return [
            HealthCheck("device", "note", "no torch: no scorer can run here", "if one is to: uv run --group scorers app.py")
        ]
    if not everything and not has_gpu():
        text = f"cpu, {os.cpu_count()} cores; no GPU's driver: the playground's models run, large ones take long"
        return [HealthCheck("device", "ok", f"{text}; torch {torch} was not opened (--all does)")]
    return _probe_torch()


def _probe_torch() -> list[HealthCheck]:
    command, environment = [sys.executable, "-c", _PROBE], os.environ | {"HF_HUB_OFFLINE": "1"}
    stuck = partial(HealthCheck, "device", "attention")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False, env=environment)
        return list(_devices(_TorchDevices(**json.loads(done.stdout))))
    except subprocess.TimeoutExpired:
        return [stuck(f"torch did not open within {_PROBE_SECONDS} s", "is a driver stuck? `nvidia-smi` tells")]
    except (ValueError, TypeError):
        why = (done.stderr.strip().splitlines() or ["no word"])[-1]
        return [stuck(f"torch cannot be opened: {why}", "install it anew: uv sync --reinstall-package torch")]


@dataclass(frozen=True, slots=True)
class _TorchDevices:
    """The report that `_PROBE` prints.

    Attributes:
        torch, built: the versions of torch and of the CUDA that it was built for.
        cuda: name and memory in bytes of each GPU.
        mps: whether Apple's GPU can be used.
        threads: threads on the processor.
    """

    torch: str
    cuda: Sequence[tuple[str, int]]
    mps: bool
    threads: int
    built: str | None


def _devices(report: _TorchDevices) -> Iterator[HealthCheck]:
    for n, (name, memory) in enumerate(report.cuda):
        yield HealthCheck("device", "ok", f"cuda:{n}: {name}, {memory / 2**30:z.0f} GB (score --device cuda:{n})")
    if report.mps:
        yield HealthCheck("device", "ok", "mps: Apple's GPU (score --device mps)")
    if report.cuda or report.mps:
        return
    cores = f"cpu, {report.threads} threads"
    if shutil.which("nvidia-smi"):
        text = f"{cores}; there is an NVIDIA driver, and torch {report.torch} (CUDA {report.built}) sees no GPU"
        yield HealthCheck("device", "attention", text, "`nvidia-smi` tells whether the driver is newer than that CUDA")
    else:
        yield HealthCheck("device", "ok", f"{cores}; no GPU: the playground's models run, large ones take long")


def check_models() -> list[HealthCheck]:
    """The models of the scorers' profiles: the playground's are to be there, others may be fetched."""
    wanted: dict[str, list[str]] = {}
    for name in registry.NAMES:
        scorer = registry.get(name)
        for profile, settings in scorer.profiles.items():
            for key in sorted(scorer.models):
                if settings[key]:  # empty: it is at an address
                    wanted.setdefault(str(settings[key]), []).append(f"{name} {profile}")
    return [_model(model, users) for model, users in wanted.items()]


def missing_model(scorer: Scorer, settings: Mapping[str, Any]) -> str | None:
    """Which model of these settings is not here and what to do, where a profile of Concord's own names it; None if all are."""
    for key in sorted(scorer.models) if scorer.name in registry.NAMES else ():
        model = str(settings[key])
        if model and any(str(profile.get(key)) == model for profile in scorer.profiles.values()):
            check = _model(model, (scorer.name,))
            if check.level != "ok":
                return f"a model is not on this machine: {check.text}; {check.todo}"
    return None


def _model(model: str, users: Sequence[str]) -> HealthCheck:
    used = f"{', '.join(users[:3])}{' ...' if len(users) > 3 else ''}"
    bound = downloads.licence(model)
    used = f"{used}; {bound}" if bound else used
    if is_available(model):
        return HealthCheck("models", "ok", f"{model}: there ({used})")
    level: Level = "attention" if _is_shipped(model) else "note"
    state = hub.state(model) if files.checkpoint(model) is None and not _is_shipped(model) else "missing"
    return HealthCheck("models", level, f"{model}: {state} ({used})", remedy(model))


def _is_shipped(model: str) -> bool:
    """Return True if a model is a folder of this machine, as the playground's are."""
    return files.checkpoint(model) is None and (files.folder(model) is not None or model.startswith("assets/"))


def is_available(model: str) -> bool:
    """Return True if a model's weights are on this machine."""
    if (file := files.checkpoint(model)) is not None:
        return file.is_file()
    if _is_shipped(model):
        folder = files.folder(model)
        return folder is not None and any(folder.rglob("*.safetensors"))
    return hub.state(model) == "there"


def is_fetchable(model: str) -> bool:
    """Return True if Concord itself can bring a model's weights to this machine, from the Hugging Face hub."""
    return files.checkpoint(model) is None and not _is_shipped(model) and hub.repository(model) is not None


def remedy(model: str) -> str:
    """Return what brings a model's weights to this machine."""
    if files.checkpoint(model) is not None:
        return files.fetching(model)
    return "it comes with Concord: `git checkout assets` brings it back" if _is_shipped(model) else hub.remedy(model)


def check_tools() -> list[HealthCheck]:
    """Chromium for PDF, fonts for what it prints, and a port for the app."""
    program, tool = browser(), partial(HealthCheck, "tools")
    if program:
        checks = [tool("ok", f"{Path(program).name}: reports can be printed as PDF"), *_fonts()]
    else:
        text = f"no Chromium (looked for {', '.join(BROWSERS)}): no reports as PDF; HTML and others work"
        checks = [tool("note", text, "if you want PDF: install chromium")]
    taken = [port for port in _PORTS if not _free(port)]
    free = next((port for port in _PORTS if port not in taken), None)
    if free is None:
        text = f"no port from {_PORTS[0]} to {_PORTS[-1]} is free"
        return [*checks, tool("attention", text, "name one: serve --port")]
    note = f"; taken: {', '.join(map(str, taken))}" if taken else ""
    return [*checks, tool("ok", f"the app would listen on port {free}{note}")]


def _fonts() -> list[HealthCheck]:
    program = shutil.which("fc-list")
    if program is None:
        return []
    try:
        done = subprocess.run(
            [program, ":", "family"], capture_output=True, text=True, errors="replace", timeout=10, check=False
        )
    except subprocess.TimeoutExpired:
        return []
    n = len(set(done.stdout.splitlines()))
    if n:
        return [HealthCheck("tools", "ok", f"{n} families of fonts")]
    return [HealthCheck("tools", "note", "no fonts: a PDF's words would be empty boxes", "install some, such as fonts-dejavu")]


def _free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
