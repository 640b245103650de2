"""The truth of a scene is the truth of its pixels."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest

from data.playground.drawing import MAX_OBJECTS, draw
from data.playground.objects import KINDS, RGB
from data.playground.render import TEXTURES, render
from data.playground.sample import TASKS, random_metadata
from data.playground.scene import Background, Placed, Scene, ScenePicture
from data.prompts.coco import COCO
from data.spec import ObjectSpec, Spec, parse_spec

GROUND = Background("plain", 0.6, 0.1, 0.75, 1)


def some_scenes(n: int) -> list[tuple[Spec, Scene]]:
    specs = [parse_spec(random_metadata(TASKS[k % len(TASKS)], np.random.default_rng(k))) for k in range(n)]
    return [(spec, draw(spec, 100 + k)) for k, spec in enumerate(specs)]


def portrait(kind: str, color: str, size: int = 96, tilt: float = 0.0) -> ScenePicture:
    return render(Scene((Placed(kind, color, 0.5, 0.5, 0.42, tilt=tilt, variant=3),), GROUND), size)


def nearest_color(rgb: np.ndarray) -> str:
    """The asked colour whose paint is nearest in hue, saturation and brightness seen as a double cone."""

    def hue_point(red: float, green: float, blue: float) -> np.ndarray:
        hue, saturation, value = colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)
        chroma = saturation * value
        return np.array([chroma * np.cos(2 * np.pi * hue), chroma * np.sin(2 * np.pi * hue), 0.8 * value])

    return min(RGB, key=lambda color: float(np.linalg.norm(hue_point(*RGB[color]) - hue_point(*rgb))))


def test_kinds_are_at_least_twelve_and_named_as_in_coco() -> None:
    assert len(KINDS) >= 12
    assert set(KINDS) <= set(COCO)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tilt", [0.0, 0.2])
def test_a_drawing_fills_its_declared_box_and_stays_within(kind: str, tilt: float) -> None:
    size = 256
    x0, y0, x1, y1 = portrait(kind, "blue", size, tilt).boxes[0] / size
    half = Placed(kind, "blue", 0.5, 0.5, 0.42, tilt=tilt).half_extent
    slack = 1.5 / size
    assert x0 >= 0.5 - half[0] - slack
    assert x1 <= 0.5 + half[0] + slack
    assert y0 >= 0.5 - half[1] - slack
    assert y1 <= 0.5 + half[1] + slack
    if not tilt:
        assert x1 - x0 >= 2 * half[0] * 0.86
        assert y1 - y0 >= 2 * half[1] * 0.86


@pytest.mark.parametrize("kind", KINDS)
def test_the_pixels_of_a_mask_have_the_required_colour(kind: str) -> None:
    wrong = []
    for color in RGB:
        picture = portrait(kind, color)
        pixels = picture.image[picture.masks[0]].reshape(-1, 3)
        votes = [nearest_color(pixel) for pixel in pixels[:: max(1, len(pixels) // 150)]]
        if max(set(votes), key=votes.count) != color:
            wrong.append((color, max(set(votes), key=votes.count)))
    assert wrong == []


def test_silhouettes_tell_the_kinds_apart() -> None:
    masks = {kind: portrait(kind, "red").masks[0] for kind in KINDS}
    for a in KINDS:
        for b in KINDS:
            if a < b:
                union = np.count_nonzero(masks[a] | masks[b])
                # round things share most of their outline: the stalk and notch, bells and feet tell them apart
                assert np.count_nonzero(masks[a] & masks[b]) / union < 0.9, (a, b)


def test_every_object_shows_with_a_mask_and_a_box_of_its_own() -> None:
    for _, scene in some_scenes(48):
        picture = render(scene)
        assert picture.image.shape == (128, 128, 3)
        assert picture.masks.shape == (len(scene.objects), 128, 128)
        assert picture.masks.sum(axis=0).max() <= 1
        for placed, mask, (x0, y0, x1, y1) in zip(scene.objects, picture.masks, picture.boxes, strict=True):
            assert mask.sum() >= 40, placed
            rows, columns = np.nonzero(mask)
            assert (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1) == (x0, y0, x1, y1)
            assert abs((x0 + x1) / 256 - placed.x) < 0.06
            assert abs((y0 + y1) / 256 - placed.y) < 0.06


@pytest.mark.parametrize("count", range(1, MAX_OBJECTS + 1))
def test_as_many_masks_as_required_objects(count: int) -> None:
    for seed in range(6):
        kind = list(KINDS)[seed % len(KINDS)]
        picture = render(draw(Spec((ObjectSpec(kind, kind, count, True),)), seed))
        assert sum(bool(mask.any()) for mask in picture.masks) == count


def test_the_same_scene_gives_the_same_bytes_and_another_seed_another_picture() -> None:
    for k, (spec, scene) in enumerate(some_scenes(12)):
        again = draw(spec, 100 + k)
        assert again == scene
        assert render(again).image.tobytes() == render(scene).image.tobytes()
        assert render(draw(spec, 9000 + k)).image.tobytes() != render(scene).image.tobytes()


def test_sizes_show_the_same_scene() -> None:
    for _, scene in some_scenes(6):
        small, large = render(scene, 64), render(scene, 512)
        assert np.abs(small.boxes / 64 - large.boxes / 512).max() < 0.04
        shrunk = large.image.reshape(64, 8, 64, 8, 3).mean(axis=(1, 3))
        assert np.abs(shrunk - small.image).mean() < 12


@pytest.mark.parametrize("texture", TEXTURES)
def test_grounds_are_pale_and_seeded(texture: str) -> None:
    def ground(seed: int) -> ScenePicture:
        return render(Scene((), Background(texture, 0.3, 0.2, 0.8, seed)))

    assert 120 < ground(1).image.mean() < 235
    assert (ground(1).image == ground(1).image).all()
    if texture != "plain":
        assert (ground(1).image != ground(2).image).any()


def test_sizes_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 16"):
        render(Scene((), GROUND), 8)
