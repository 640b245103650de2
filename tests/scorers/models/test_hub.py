"""Models in the hub's cache: which commit a name means, and that other files are another model and another rater."""

from __future__ import annotations

from pathlib import Path

import pytest

from concord.runs.score import plan_scoring, rater_differences
from data.jobs.runs import Run
from data.store import runs
from data.store.core.store import Store
from scorers import registry
from scorers.models import files, hub
from tests.scorers.published_models import detr

DETR = "facebook/detr-resnet-50"
FIRST, SECOND = "1d5f47b" + "0" * 33, "93c4ac3" + "0" * 33


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub" / "models--facebook--detr-resnet-50"


def fetched(cache: Path, commit: str, weights: bytes, **others: str) -> None:
    """As ``hf download`` lays a model down; ``main`` is the commit then."""
    path = cache / "snapshots" / commit
    path.mkdir(parents=True)
    (cache / "refs").mkdir(exist_ok=True)
    (cache / "refs" / "main").write_text(commit)
    (path / "model.safetensors").write_bytes(weights)
    for name, text in {"config": "{}", **others}.items():
        (path / f"{name}.{'md' if name == 'README' else 'json'}").write_text(text)


def test_a_name_means_main_or_the_revision_that_it_names(cache: Path) -> None:
    assert (hub.snapshot(DETR), hub.state(DETR), files.fingerprint(DETR)) == (None, "missing", None)
    fetched(cache, FIRST, b"one")
    fetched(cache, SECOND, b"two")
    (cache / "refs" / "v1").write_text(FIRST)
    names = {DETR: SECOND, f"{DETR}@{FIRST}": FIRST, f"{DETR}@1d5f47b": FIRST, f"{DETR}@v1": FIRST}
    for name, commit in names.items():
        path = hub.snapshot(name)
        assert (path and path.name, hub.state(name)) == (commit, "there")
    assert hub.snapshot(f"{DETR}@fffffff") is None
    assert hub.remedy(f"{DETR}@fffffff") == f"uv run hf download {DETR} --revision fffffff"
    assert hub.snapshot("assets/../x/y@z") is None
    fetched(cache, "1d5f47bf", b"three")
    with pytest.raises(ValueError, match=r"several commits begin so: 1d5f47b0.*, 1d5f47bf"):
        hub.snapshot(f"{DETR}@1d5f47b")


def test_a_fingerprint_is_of_what_loaders_read(cache: Path) -> None:
    fetched(cache, FIRST, b"one")
    fetched(cache, SECOND, b"one", README="other words")
    one, two = files.fingerprint(f"{DETR}@{FIRST}"), files.fingerprint(f"{DETR}@{SECOND}")
    assert one == two
    (cache / "snapshots" / SECOND / "config.json").write_text('{"size": 600}')
    assert files.fingerprint(f"{DETR}@{SECOND}") != one
    # in a cache with links to files that are named by their SHA-256, nothing is read
    blob = cache / "blobs" / ("a" * 64)
    blob.parent.mkdir()
    blob.write_bytes(b"never read")
    linked = cache / "snapshots" / FIRST / "model.safetensors"
    linked.unlink()
    linked.symlink_to(blob)
    by_name = files.fingerprint(f"{DETR}@{FIRST}")
    blob.write_bytes(b"other")
    assert files.fingerprint(f"{DETR}@{FIRST}") == by_name != one


def test_two_snapshots_of_one_id_are_two_raters(cache: Path, tmp_path: Path) -> None:
    def planned(store: Store, **overrides: str) -> str:
        plan = plan_scoring(store, "visor", "playground", {"detector": DETR, **overrides})
        if not any(
            version.rater_id == plan.rater.rater_id
            for version in runs.versions_of(store, plan.rater.rater_id.partition(" #")[0])
        ):
            run = Run(f"run {plan.rater.rater_id}", "visor", plan.scorer.version, "playground", plan.settings)
            runs.add_run(store, run, plan.rater, "nowhere", 0)
        return plan.rater.rater_id

    name = f"visor-playground[detector={DETR}]"
    with Store(tmp_path / "project") as store:
        # stored before models had fingerprints
        assert planned(store) == name
        fetched(cache, FIRST, b"one")
        assert planned(store) == f"{name} #2"
        fetched(cache, SECOND, b"one", README="only words")
        assert planned(store) == f"{name} #2"
        fetched(cache, "0" * 40, b"two")
        assert planned(store) == f"{name} #3"
        assert planned(store, detector=f"{DETR}@{FIRST}") == f"visor-playground[detector={DETR}@{FIRST}]"
        unknown, first, last = runs.versions_of(store, name)
        assert (unknown.settings["weights"], first.settings["revisions"]) == ({}, {"detector": FIRST})
        (line,) = rater_differences(unknown, first)
        assert line == f"the weights of its detector differ ({first.settings['weights']['detector']}, then unknown)"
        assert "the weights of its detector differ" in rater_differences(first, last)[0]


def test_the_revision_that_is_named_is_opened(cache: Path) -> None:
    from scorers.models.detectors import open_detector

    for commit in (FIRST, SECOND):
        detr(cache / "snapshots" / commit)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text(FIRST)
    (cache / "snapshots" / FIRST / "config.json").write_text('{"model_type": "unheard of"}')
    open_detector(f"{DETR}@{SECOND}", 64, 0.1, 0.7, "cpu")
    with pytest.raises(ValueError, match="unheard of"):
        open_detector(DETR, 64, 0.1, 0.7, "cpu")


def test_a_profile_records_its_commit(cache: Path) -> None:
    fetched(cache, FIRST, b"one")
    results = registry.settings(registry.get("visor"), "playground", {"detector": DETR})
    assert results["revisions"] == {"detector": FIRST}
    assert len(results["weights"]["detector"]) == 12
