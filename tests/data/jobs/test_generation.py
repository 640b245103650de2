"""A generation's folder: what was asked comes back, seeds depend on text, index and seed alone."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, PngImagePlugin

from data.files import write_whole
from data.jobs.folder import WorkerProgress
from data.jobs.generation import (
    BLANKED,
    GenerationFolder,
    GenerationJob,
    WantedPicture,
    blanked,
    missing_pictures,
    picture_seed,
    why_blank,
    write_picture,
)

HOSTILE = 'a "photo"\nof </script> ../../é\u2028'


def test_a_job_is_read_back_whatever_the_text(tmp_path: Path) -> None:
    folder = GenerationFolder(tmp_path / "job")
    wanted = (WantedPicture("s/0", 1, HOSTILE, 2**62, str(tmp_path / "a.png")),)
    job = GenerationJob("playground-late", wanted, 16, {"steps": 3, "guidance": None}, "cuda:1", "0123")
    folder.ask(job)
    assert folder.job() == job
    assert folder.progress() is None
    assert folder.opened() == {}
    folder.describe({"pipeline": HOSTILE, "guidance": 7.5})
    assert folder.opened() == {"pipeline": HOSTILE, "guidance": 7.5}
    folder.tell(WorkerProgress("running", 3, 10, seconds=6.0))
    progress = folder.progress()
    assert progress is not None
    assert progress.seconds_left == 14.0
    folder.ask(job)
    assert (folder.progress(), folder.opened()) == (None, {}), "what was told of another job goes"


def test_why_a_picture_is_blank_goes_with_its_file(tmp_path: Path) -> None:
    black = Image.new("RGB", (4, 4))
    for why in (None, *BLANKED):
        write_picture(tmp_path / "new" / f"{why}.png", black, why)
        assert blanked(tmp_path / "new" / f"{why}.png") == why
    assert len(list((tmp_path / "new").iterdir())) == 3, "nothing temporary is left"
    png_info = PngImagePlugin.PngInfo()
    png_info.add_text("blanked", "somebody else's word")
    black.save(tmp_path / "other.png", pnginfo=png_info)
    assert blanked(tmp_path / "other.png") is None
    assert why_blank(None) is None
    assert why_blank("filter") == "blanked by the generator's safety filter"


def test_a_seed_is_a_function_of_text_index_and_seed() -> None:
    seeds = {
        picture_seed(text, index, seed) for text in ("a cup", "a car", "a car\n1") for index in range(4) for seed in range(3)
    }
    assert len(seeds) == 36
    assert picture_seed("a cup", 0, 0) == picture_seed("a cup", 0, 0)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_missing_pictures_are_those_without_a_file(tmp_path: Path) -> None:
    wanted = [WantedPicture("s/0", k, "a cup", k, str(tmp_path / f"{k}.png")) for k in range(3)]
    write_whole(tmp_path / "1.png", b"x")
    assert [picture.index for picture in missing_pictures(wanted)] == [0, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["1.png"], "nothing temporary is left"
