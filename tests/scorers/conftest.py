"""What several tests of scorers share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny untrained pipelines of diffusers by short name, saved (``tests.scorers.tiny_pipelines``); tests only read them."""
    from tests.scorers import tiny_pipelines as tiny

    home = tmp_path_factory.mktemp("pipelines")
    return {
        "sd15": tiny.stable_diffusion(home / "sd15"),
        "sd21-v": tiny.stable_diffusion(home / "sd21-v", "v_prediction"),
        "sdxl": tiny.sdxl(home / "sdxl"),
        "pixart": tiny.pixart(home / "pixart"),
        "if": tiny.deepfloyd(home / "if"),
        "sd3": tiny.stable_diffusion_3(home / "sd3"),
        "flux": tiny.flux(home / "flux"),
        "sana": tiny.sana(home / "sana"),
        "qwen-image": tiny.qwen_image(home / "qwen-image"),
    }
