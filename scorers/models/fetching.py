"""Fetching of models from the Hugging Face hub into its cache, by a process of its own: ``python -m scorers.models.fetching
MODEL ...``.

Begun only where somebody asks for it; everything else of Concord runs with the hub switched off. Of a repository only those
files are fetched that loaders read, and weights that are there as pickles alone are made safe (`conversion`). On stdout it
says, a JSON object a line: ``bytes``, how much there is to fetch in all, by model; and last ``error``, lines that say why it
ended.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

from scorers.models import hub

SITE: Final = os.environ.get("HF_ENDPOINT", "").rstrip("/").rpartition("/")[2] or "huggingface.co"
"""Where models come from: the hub, or the mirror of it that ``HF_ENDPOINT`` names."""
_SMALL: Final = frozenset({".json", ".txt", ".model", ".jinja"})
_FORMATS: Final = re.compile(r"(^|/)(onnx|openvino|flax|coreml|tf)[_/-]|\.fp16\.|non_ema|(^|/)(flax|tf)_model")
"""Names of weights in forms that no loader here reads."""
_OPEN_CLIP: Final = "open_clip_"
_TOKENIZERS: Final = {"zhiqiulin/clip-flant5-xxl": "google/flan-t5-xxl"}
"""Models that are published without their tokenizer, and where it is."""
_TOKENIZER_FILES: Final = frozenset({"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "spiece.model"})
_SECONDS: Final = 20
"""How long the hub may take to answer."""


def cache_of(model: str) -> Path:
    """Return the folder in which the hub's cache keeps a model."""
    return hub.cache_folder() / f"models--{(hub.repository(model) or model).replace('/', '--')}"


def files_to_fetch(model: str, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return those of a repository's files, with their bytes, that the loader of a model reads.

    Args:
        model: as profiles name it.
        sizes: bytes of all files of the repository, by their paths.
    """
    small = {name for name in sizes if PurePosixPath(name).suffix in _SMALL and not _FORMATS.search(name)}
    safe = {name for name in sizes if name.endswith(".safetensors") and not _FORMATS.search(name)}
    pickles = {name for name in sizes if name.endswith(".bin") and not _FORMATS.search(name)}
    weights = safe or pickles
    if model in hub.CLIP_REPOSITORIES:
        weights = {name for name in weights if PurePosixPath(name).name.startswith(_OPEN_CLIP)} or weights
    if "model_index.json" in sizes:
        # beside a pipeline's folders lies the same in one file
        weights = {name for name in weights if "/" in name} or weights
    return {name: size for name, size in sizes.items() if name in small | weights}


def fetch(models: Iterable[str]) -> None:
    """Fetch each model that is not on this machine.

    Raises:
        Exception: whatever the hub's library or the disk raises; `explained` says it to people.
        ValueError: there is not enough room, or weights cannot be made safe.
    """
    from huggingface_hub import HfApi, hf_hub_download

    for model in models:
        repository, revision = hub.repository(model), model.partition("@")[2] or "main"
        if repository is None:
            raise ValueError(f"{model} is not a model of {SITE}")
        if model in _TOKENIZERS:
            names = [each.rfilename for each in HfApi().model_info(_TOKENIZERS[model], timeout=_SECONDS).siblings or ()]
            for name in _TOKENIZER_FILES.intersection(names):
                hf_hub_download(_TOKENIZERS[model], name, etag_timeout=_SECONDS)
        if hub.state(model) != "only as a pickle":
            about = HfApi().model_info(repository, revision=revision, files_metadata=True, timeout=_SECONDS)
            chosen = files_to_fetch(model, {each.rfilename: each.size or 0 for each in about.siblings or ()})
            total = sum(chosen.values())
            print(json.dumps({"bytes": {model: total}}), flush=True)
            _refuse_full_disk(total - stored_bytes(model))
            # weights last: a model whose weights are there is taken for whole
            for name in sorted(chosen, key=lambda name: (chosen[name], name)):
                hf_hub_download(repository, name, revision=revision, etag_timeout=_SECONDS)
            for left in (cache_of(model) / "blobs").glob("*.incomplete"):
                left.unlink(missing_ok=True)
        if hub.state(model) == "only as a pickle":
            from scorers.models import conversion

            conversion.convert(model)


def stored_bytes(model: str) -> int:
    """Return how many bytes of a model's files are on this machine, those of files that are not whole among them."""
    total = 0
    for file in (cache_of(model) / "blobs").glob("*"):
        try:
            total += file.stat().st_size
        except OSError:  # it was renamed meanwhile
            continue
    return total


def _refuse_full_disk(needed: int) -> None:
    folder = hub.cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise ValueError(
            f"There is not enough room: {needed / 1e6:,.0f} MB are needed, {free / 1e6:,.0f} MB are free in {folder}. Make"
            " room, or set HF_HOME to a folder on a larger disk and start Concord again."
        )


def explained(error: BaseException, models: Sequence[str]) -> list[str]:
    """Return what went wrong and what to do, a line each, for people."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    why = " ".join(str(error).split())[:200] or type(error).__name__
    status = getattr(getattr(error, "response", None), "status_code", None)
    if "GatedRepoError" in kinds or (status in (401, 403) and not kinds & _ABSENT):
        return [
            f"{SITE} gives this model only to accounts that have accepted its licence.",
            "Accept it on the model’s page there, then run this and try again:",
            "`uv run hf auth login`",
        ]
    if isinstance(error, ValueError):
        return [why]
    if kinds & _UNREACHABLE:
        names = [hub.repository(model) or model for model in models]
        folders = ", ".join(cache_of(model).name for model in models)
        return [
            f"{SITE} cannot be reached from this machine: {why}. The model comes from there, once.",
            "Check the internet connection and try again. Behind a proxy, set HTTPS_PROXY and start Concord again.",
            "If this machine has no internet, run this on one that has:",
            f"`{' && '.join(f'hf download {name}' for name in names)}`",
            f"Then copy {folders} from its cache (~/.cache/huggingface/hub) into {hub.cache_folder()}, and try again.",
        ]
    if kinds & _ABSENT:
        return [f"{SITE} has no such model (any more): {', '.join(models)}.", "Choose another profile."]
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return [f"The disk is full. Make room in {hub.cache_folder()}, and try again.", "What is here already is kept."]
    return [f"The download ended early: {why}.", "Try again; what is here already is kept."]


_ABSENT: Final = frozenset({"RepositoryNotFoundError", "RevisionNotFoundError", "RemoteEntryNotFoundError"})
_UNREACHABLE: Final = frozenset(
    {"TransportError", "ConnectionError", "Timeout", "TimeoutError", "OfflineModeIsEnabled", "LocalEntryNotFoundError"}
)
"""Names of exceptions of the hub's library, and of those that it stands on, whichever these are, where nobody answers."""


def environment() -> dict[str, str]:
    """Return the environment of a process that fetches: this one's, with the hub switched on, and nothing told to it."""
    kept = {name: value for name, value in os.environ.items() if name not in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")}
    return {**kept, "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}


def main(models: list[str]) -> int:
    """Fetch models; returns the exit status."""
    try:
        fetch(models)
    except Exception as error:
        said: dict[str, Any] = {"error": explained(error, models)}
        print(json.dumps(said), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
