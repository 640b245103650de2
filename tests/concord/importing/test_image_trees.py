"""Trees of images: whose image is of which prompt, as people name and list them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from concord.importing.image_trees import ImageTree, read_image_tree, write_images_table

APPLE, CUP = "a red apple", "two cups"


def tree_of(folder: Path, files: Mapping[str, str]) -> ImageTree:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    tree = read_image_tree(folder, "mine")
    assert tree is not None
    return tree


def found(tree: ImageTree) -> dict[str, tuple[str, str]]:
    return {image.path: (image.generator, image.prompt) for image in tree.images}


TABLE = "file,caption\n1.png,a red apple\n2.png,two cups\n"
TWO = {"sd/1.png": ("sd", APPLE), "sd/2.png": ("sd", CUP), "xl/1.png": ("xl", APPLE), "xl/2.png": ("xl", CUP)}


@pytest.mark.parametrize(
    "files",
    [
        {"sd/list.csv": TABLE, "xl/list.csv": TABLE},
        {"images.csv": "path,prompt\n" + "".join(f"{path},{prompt}\n" for path, (_, prompt) in TWO.items())},
        {"prompts.txt": f"{APPLE}\n{CUP}\n"},
        {"prompts.jsonl": f'{{"prompt": "{APPLE}"}}\n{{"prompt": "{CUP}"}}\n{{"prompt": "never drawn"}}\n'},
        {path.replace("png", "txt"): prompt for path, (_, prompt) in TWO.items()},
    ],
)
def test_folders_of_generators_get_their_prompts(files: Mapping[str, str], tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {**files, **dict.fromkeys(TWO, "")})
    assert found(tree) == TWO
    assert tree.generators == ["sd", "xl"]
    assert list(tree.notes) == []


FOUR = [("sd", APPLE), ("sd", CUP), ("xl", APPLE), ("xl", CUP)]


@pytest.mark.parametrize(
    "form",
    ["{who}_{prompt}", "{dashed}_{who}", "{who}-{dashed}", "{who}/0001 {dashed}", "{who}/{dashed}_0", "{prompt} {who}"],
)
def test_names_of_files_say_generator_and_prompt(form: str, tmp_path: Path) -> None:
    names = {f"{form.format(who=who, prompt=text, dashed=text.replace(' ', '-'))}.png": (who, text) for who, text in FOUR}
    assert found(tree_of(tmp_path, dict.fromkeys(names, ""))) == names


def test_a_folder_for_each_prompt_has_an_image_by_each_generator(tmp_path: Path) -> None:
    prompts = (APPLE, CUP, "three dogs")
    names = {f"{text}/{who}.png": (who, text) for text in prompts for who in ("sd", "xl")}
    assert found(tree_of(tmp_path / "by prompt", dict.fromkeys(names, ""))) == names
    alone = {f"{text}.png": ("mine", text) for text in prompts}
    assert found(tree_of(tmp_path / "alone", dict.fromkeys(alone, ""))) == alone


def test_without_prompts_images_of_one_key_are_of_one_prompt(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {f"{who}_{n:02}.png": "" for who in ("sd", "xl") for n in range(16)})
    assert (tree.generators, tree.keys[0], len(tree.keys), set(tree.prompts.values())) == (["sd", "xl"], "00", 16, {""})
    (tmp_path / "prompts.txt").write_text("\n".join(f"prompt number {n}" for n in range(5)))
    tree = read_image_tree(tmp_path, "mine") or tree
    assert tree.notes == ["prompts.txt has 5 prompts, and there are 16 images of each generator"]
    prompts = {key: f"prompt {key}" for key in tree.keys[:2]}
    assert write_images_table(tree, tmp_path / "table", {"sd": "stable"}, prompts, tmp_path) == 4
    rows = (tmp_path / "table").read_text().splitlines()
    assert rows[1:3] == ["sd_00.png,prompt 00,stable,,", "sd_01.png,prompt 01,stable,,"]


@pytest.mark.parametrize("layout", ["geneval", "visor"])
def test_each_folder_of_a_known_layout_is_a_generator(layout: str, tmp_path: Path) -> None:
    name = {"geneval": "00001/samples/0000.png", "visor": "10811_0.png"}[layout]
    tree = tree_of(tmp_path, {f"sd/{name}": "", f"xl/{name}": "", "other/picture.png": ""})
    assert (tree.layout, tree.folders) == (layout, {"sd": "sd", "xl": "xl"})
    assert tree.notes == ["not read, as its files are named otherwise: other"]


def test_a_folder_without_images_is_no_tree(tmp_path: Path) -> None:
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "1.png").touch()
    (tmp_path / "ratings.csv").write_text(TABLE)
    (tmp_path / "ratings.csv").unlink()
    assert read_image_tree(tmp_path, "mine") is None


NAMES = ("a red apple", "two cups")


@pytest.mark.parametrize(
    ("folders", "generators"),
    [
        (["flux"], ["flux"]),
        (["images"], ["mine"]),
        (["images/flux"], ["flux"]),
        (["images/flux", "images/sdxl"], ["flux", "sdxl"]),
        (["batch/flux", "batch/sdxl"], ["flux", "sdxl"]),
        (["flux", "sdxl"], ["flux", "sdxl"]),
        (["flux/samples"], ["flux"]),
    ],
)
def test_generators_have_the_names_of_their_own_folders(folders: list[str], generators: list[str], tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {f"{folder}/{name}.png": "" for folder in folders for name in NAMES})
    assert (tree.generators, sorted(set(tree.prompts.values()))) == (generators, sorted(NAMES))


def test_folders_of_prompts_in_a_generators_folder_are_no_generators(tmp_path: Path) -> None:
    files = {f"flux/{name}/{n} {name}.png": "" for name in NAMES for n in range(2)}
    assert tree_of(tmp_path, files).generators == ["flux"]


def test_a_table_beside_one_folder_of_images_takes_the_folders_name(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"prompts.csv": f"file,caption\na.png,{APPLE}\n", "flux/a.png": ""})
    assert found(tree) == {"flux/a.png": ("flux", APPLE)}
