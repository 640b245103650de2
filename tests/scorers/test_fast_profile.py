"""The profile `fast`: Ultralytics' model by its file, with random weights, from a command to stored verdicts and masks."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("scorers.models.detectors.yolo", reason="the group yolo is not installed")

from data.prompts.coco import COCO  # noqa: E402
from scorers import registry  # noqa: E402
from scorers.models import files, hub  # noqa: E402
from tests.ui.small_project import concord, done, geneval_folder, query  # noqa: E402

COW = 19
CHECKPOINT = "yolo11m-seg.pt"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small untrained model of COCO's classes that sees cows everywhere, as Ultralytics saves one."""
    from ultralytics import YOLO

    torch.manual_seed(0)
    yolo = YOLO("yolo11n-seg.yaml", task="segment", verbose=False)
    yolo.model.names = dict(enumerate(COCO))
    for branch in yolo.model.model[-1].cv3:
        branch[-1].bias.data[COW] = 2.0
    path = tmp_path_factory.mktemp("models") / CHECKPOINT
    yolo.save(path)
    return path


@pytest.mark.parametrize("scorer", ["geneval", "visor"])
def test_fast_scores_with_a_saved_model_and_stores_its_masks(
    scorer: str, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(files.TRUST, "1")
    project = tmp_path / "project"
    done(project, "import", "images", geneval_folder(tmp_path / "i", 1), "--layout", "geneval", "--generator", "g")
    models = ["--set", f"detector={checkpoint}"]
    models += ["--set", "clip=assets/playground/clip"] if scorer == "geneval" else []
    # an untrained model finds no bus and no person on photographs
    done(project, "score", scorer, "--profile", "fast", "--device", "cpu", "--force", *models)
    assert query(project, "select distinct aspect from judgements where aspect = 'correct' and label is not null") == [
        "correct"
    ]
    counted = query(project, "select count(*) from detections union all select count(mask_ref) from detections")
    assert counted[0] == counted[1] > 0
    assert query(project, "select distinct label from detections") == ["cow"]


def test_without_the_file_it_says_where_it_comes_from_and_its_licence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "CHECKPOINTS", tmp_path / "models")
    project = tmp_path / "project"
    done(project, "import", "images", geneval_folder(tmp_path / "i", 1), "--layout", "geneval", "--generator", "g")
    refused = concord(project, "score", "geneval", "--profile", "fast")
    assert refused.status == 1
    assert "download yolo11m-seg.pt from Ultralytics' releases (AGPL-3.0) into models/" in refused.err
    assert f"{files.TRUST}=1" in refused.err


def test_fast_is_the_paper_s_method_with_smaller_models() -> None:
    for name in ("geneval", "visor"):
        profiles = registry.get(name).profiles
        changed = {key for key in profiles["fast"] if profiles["fast"][key] != profiles["paper"][key]}
        assert changed <= {"detector", "detector_side", "clip", "counting_threshold", "threshold"}
        assert profiles["fast"]["detector"] == CHECKPOINT
    assert registry.get("geneval").profiles["fast"]["clip"] == "ViT-B-32-quickgelu/openai"
