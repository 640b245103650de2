"""Six questions an image: ours against one image and one question a call, with the same random-weight BLIP, in one run.

    uv run benchmarks/scorers/vqa.py [--images 3] [--device cpu] [--small]

The other side does as TIFA's released code: each call opens the file, prepares the image and runs the whole model as
transformers has it. Both give the same answers (asserted), once by weighing the choices and once in words of their own that
are matched with the choices. The model has the published size (BLIP-VQA base), or is a small one to try this out.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import torch
from PIL import Image
from transformers import BlipForQuestionAnswering
from transformers.models.blip.modeling_blip import BlipVisionModel
from transformers.models.blip.modeling_blip_text import BlipTextModel

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for a package
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from benchmarks.measuring import Parts, Timing, command_line, machine, tell, timed, wait_for
from benchmarks.scorers import geneval
from data.images.files import open_image
from scorers.models.pretrained import load, processor_of
from scorers.models.vqa import VqaAnswer, VqaQuestion, open_vqa
from scorers.models.vqa.blip import BEAMS, LONGEST
from scorers.models.vqa.model import CHOICES, FREE, SentenceEncoder, likeliest, match_answer

SIZES: Final = ((512, 512), (1024, 1024), (768, 1024))
TOLERANCE: Final = 1e-3
"""Of probabilities."""
QUERIES: Final = (
    VqaQuestion("Is there a dog in the picture?", ("yes", "no")),
    VqaQuestion("What animal is in the picture?", ("dog", "cat", "horse", "sheep")),
    VqaQuestion("What color is the umbrella?", ("red", "blue", "green", "yellow")),
    VqaQuestion("How many people are there?", ("one", "two", "three", "four")),
    VqaQuestion("Where is the dog sitting?", ("on a bench", "under a tree", "in a car")),
    VqaQuestion("Is the bench made of wood?", ("yes", "no")),
)
"""Of kinds and lengths as TIFA's: 6.3 an image, half of them yes or no."""

Ask = Callable[[Path], list[VqaAnswer]]
"""The answers to all questions about the image in a file."""


def answered(ask: Ask, paths: Sequence[Path], parts: Parts | None = None) -> tuple[list[list[VqaAnswer]], Timing]:
    """All answers, and what they took. One image goes first, untimed."""
    ask(paths[0])
    with parts or nullcontext():
        return timed(lambda: [ask(path) for path in paths])


class Plain:
    """One image and one question a call, through transformers alone."""

    def __init__(self, name: str, device: str, settings: dict[str, str]) -> None:
        self._model = load(BlipForQuestionAnswering, name, device)
        self._processor = processor_of(name)
        self._sentences = SentenceEncoder(settings["sentences"], device)
        self._device = device

    def weighed(self, path: Path) -> list[VqaAnswer]:
        """Each question as the authors' "rank" inference does it: its choices go through the decoder together."""
        with torch.inference_mode():
            return [self._weigh(open_image(path), query) for query in QUERIES]

    def in_own_words(self, path: Path) -> list[VqaAnswer]:
        """Each question in the model's own words."""
        with torch.inference_mode():
            return [self._say(open_image(path), query) for query in QUERIES]

    def _weigh(self, image: Image.Image, query: VqaQuestion) -> VqaAnswer:
        inputs, model, text = self._given(image, query.text), self._model, self._model.config.text_config
        features = model.vision_model(pixel_values=inputs["pixel_values"]).last_hidden_state
        states = model.text_encoder(
            input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], encoder_hidden_states=features
        ).last_hidden_state
        choice_ids = [self._processor.tokenizer(choice, add_special_tokens=False)["input_ids"] for choice in query.choices]
        longest = max(map(len, choice_ids)) + 2
        rows = [[text.bos_token_id, *ids, text.sep_token_id] for ids in choice_ids]
        ids = torch.tensor([[*row, *[text.pad_token_id] * (longest - len(row))] for row in rows], device=self._device)
        logits = model.text_decoder(
            input_ids=ids,
            attention_mask=(ids != text.pad_token_id).long(),
            encoder_hidden_states=states.expand(len(rows), -1, -1),
        ).logits.log_softmax(-1)
        each = logits[:, :-1].gather(2, ids[:, 1:, None])[..., 0]
        return likeliest(query, (each * (ids[:, 1:] != text.pad_token_id)).sum(1).tolist())

    def _say(self, image: Image.Image, query: VqaQuestion) -> VqaAnswer:
        ids = self._model.generate(**self._given(image, query.text), num_beams=BEAMS, max_new_tokens=LONGEST)
        in_own_words = self._processor.tokenizer.decode(ids[0, 1:], skip_special_tokens=True).strip()
        return match_answer(in_own_words, query.choices, self._sentences)

    def _given(self, image: Image.Image, question: str) -> dict[str, Any]:
        return dict(self._processor(images=image, text=question, return_tensors="pt").to(self._device))


def compared(mine: Sequence[Sequence[VqaAnswer]], other: Sequence[Sequence[VqaAnswer]]) -> float:
    """The largest difference of probabilities.

    Raises:
        AssertionError: another answer, other words, or a probability further off than ``TOLERANCE``.
    """
    most = 0.0
    for some, others in zip(mine, other, strict=True):
        for a, b in zip(some, others, strict=True):
            assert (a.chosen, a.free, a.matched) == (b.chosen, b.free, b.matched), (a, b)
            pairs = zip(a.probabilities or (), b.probabilities or (), strict=True)
            most = max([most, *(abs(x - y) for x, y in pairs)])
    assert most <= TOLERANCE, most
    return most


def measured(answering: str, folder: Path, paths: Sequence[Path], device: str) -> list[str]:
    """One way of answering, on all sides; its lines."""
    name, settings = str(folder / "blip"), {"answering": answering, "sentences": str(folder / "sentences")}
    plain = Plain(name, device, settings)
    other, published = answered(plain.weighed if answering == CHOICES else plain.in_own_words, paths)
    del plain
    model = open_vqa(name, device, settings)
    single, alone = answered(lambda path: [model.answer([open_image(path)], [[query]])[0][0] for query in QUERIES], paths)
    parts = Parts({"image": (BlipVisionModel, "forward"), "words": (BlipTextModel, "forward")}, wait_for(device))
    mine, ours = answered(lambda path: model.answer([open_image(path)], [QUERIES])[0], paths, parts)
    apart = max(compared(mine, other), compared(mine, single))
    chosen = {(answer.chosen, answer.free) for some in mine for answer in some}
    assert len(chosen) > len(QUERIES), "every picture got the same answers"

    def row(label: str, timing: Timing) -> str:
        return f"{label:34}{timing.wall / len(paths):>12.3f} s{timing.cpu / len(paths):>14.3f} s"

    return [
        f"{f'{answering}, an image':34}{'clock':>14}{'processors':>16}",
        row("one question a call, transformers", published),
        row("one question a call, ours", alone),
        row("all questions at once, ours", ours),
        f"ratio to transformers: {published.wall / ours.wall:.2f} by the clock, {published.cpu / ours.cpu:.2f} by processors",
        f"ratio to our own single calls: {alone.wall / ours.wall:.2f} by the clock, {alone.cpu / ours.cpu:.2f} by processors",
        f"images a second: {len(paths) / ours.wall:.2f}, transformers {len(paths) / published.wall:.2f}",
        f"where ours spends it, the model's forward pass: {parts.shares(ours.wall)}",
        f"equal answers; probabilities within {apart:.1e}",
    ]


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Make a model and pictures, measure, print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("--images", type=int, default=3, help="how many (default 3)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="as torch names it")
    parser.add_argument("--small", action="store_true", help="a small model and pictures")
    options = parser.parse_args(arguments)
    texts = [text for query in QUERIES for text in (query.text, *query.choices)]
    words = sorted({word.strip("?").lower() for text in texts for word in text.split()})
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        geneval.save_blip(folder / "blip", words, small=options.small)
        geneval.save_sentence_model(folder / "sentences", words)
        paths = geneval.paintings(folder / "images", max(2, options.images), geneval.SIZES_SMALL if options.small else SIZES)
        lines = [
            f"{len(paths)} images, {len(QUERIES)} questions each, on {options.device}",
            f"{machine('torch', 'transformers')}, {torch.get_num_threads()} threads",
        ]
        for answering in (CHOICES, FREE):
            lines += ["", *measured(answering, folder, paths, options.device)]
    return tell(lines)


if __name__ == "__main__":
    main()
