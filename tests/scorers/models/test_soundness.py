"""What no working model says stops a run."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from scorers.base import ModelBroken  # noqa: E402
from scorers.models.soundness import Soundness  # noqa: E402

Tensor = Any  # a torch.Tensor, which mypy does not follow
NAN = float("nan")


def look(*rows: list[float]) -> Tensor:
    return torch.tensor(rows)


def pictures(n: int) -> Tensor:
    return torch.arange(float(n)).reshape(n, 1, 1, 1).expand(n, 3, 4, 4)


def test_numbers_that_differ_are_well() -> None:
    sound = Soundness("it")
    sound.check(pictures(2), look([1, 2], [1, 3]))
    sound.check(pictures(2), look([5, 6], [5, 6]))  # said once, it is enough


def test_the_same_for_different_pictures_is_broken() -> None:
    with pytest.raises(ModelBroken, match="it gives the same numbers for different pictures: its weights, or its kernels"):
        Soundness("it").check(pictures(2), look([1, 2], [1, 2]))
    late = Soundness("it")
    late.check(pictures(1), look([1, 2]))
    late.check(pictures(1), look([1, 2]))  # it is the same picture
    with pytest.raises(ModelBroken, match="for different pictures"):
        late.check(pictures(2)[1:], look([1, 2]))


def test_each_kind_of_numbers_depends_on_the_picture() -> None:
    with pytest.raises(ModelBroken, match="for different pictures"):
        Soundness("it").check(pictures(2), look([1, 2], [1, 3]), look([1, 2], [1, 2]))
    with pytest.raises(ModelBroken, match="for different texts"):
        Soundness("it", "texts").check(look([4, 5], [4, 6]), look([1, 2], [1, 2]))


def test_one_number_for_everything_is_broken() -> None:
    with pytest.raises(ModelBroken, match="the same number for everything"):
        Soundness("it").check(pictures(1), look([0, 0, 0]), torch.zeros(1, 4, 4))
    with pytest.raises(ModelBroken, match="the same number for everything"):
        Soundness("it").check(pictures(1), look([1, 2]), look([0, 0, 0]))
    Soundness("it").check(pictures(1), look([1, 2]), look([7]))


@pytest.mark.parametrize("bad", [NAN, float("inf"), -float("inf")])
def test_no_numbers_at_first_are_broken_and_later_an_images_own_trouble(bad: float) -> None:
    with pytest.raises(ModelBroken, match="it gives no finite numbers"):
        Soundness("it").check(pictures(2), look([1, bad], [bad, 2]))
    with pytest.raises(ModelBroken):
        Soundness("it").check(pictures(2), look([1, 2], [1, 3]), look([bad], [bad]))
    some = Soundness("it")
    with pytest.raises(ValueError, match="no finite numbers for it"):
        some.check(pictures(2), look([1, 2], [bad, 2]))
    some.check(pictures(2), look([1, 2], [1, 3]))
    with pytest.raises(ValueError, match="no finite numbers for it"):
        some.check(pictures(1), look([1, bad]))


def test_pictures_of_other_shapes_are_other_pictures() -> None:
    sound = Soundness("it")
    sound.check(pictures(1), look([1, 2]))
    with pytest.raises(ModelBroken, match="for different pictures"):
        sound.check(torch.zeros(1, 3, 2, 9), look([1, 2]))
