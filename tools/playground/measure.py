"""How good the playground's models, scorers and generators are, as JSON: ``python -m tools.playground.measure WHAT ...``.

Models are opened as in production and given seeds, textures and object-colour pairs that the training never saw.

- ``clip DIR``: four captions each, one of them true (chance: a quarter), and the colour of masked crops among ten.
- ``detector DIR``: precision, exact objects and false alarms; as a scorer opens it.
- ``vqa DIR``: careless drawings of GenEval's prompts, about half of them with a fault, in the held-out looks and in all
  looks, as the sample has them. Each is asked its own prompt's questions, as TIFA asks them, and those of two other specs.
  An answer is right that is true of the scene.
- ``scorer geneval|visor``: scenes of the careless renderer whose truth is known; the verdict ``correct`` of the profile
  ``playground`` is compared with the truth. ``visor`` looks at neither numbers nor colours: it gets the other tasks only.
- ``generator NAME``: in how many single-object pictures the object is found. Every kind is made ``--n`` times, with seeds
  that the sample does not use; the verdict is that of GenEval's rules.
- ``sample``: how its generators do by GenEval's rules. No model runs: what the scorer saw is read from the sample's run, and
  judged by the rules as they are now. ``found`` is the share of single-object pictures in which the object is found at all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torchvision.ops import box_iou

from data.playground.drawing import ANY_LOOK, DrawnScene, SceneLook, draw
from data.playground.objects import KINDS
from data.playground.render import render
from data.playground.sample import FOLDER, TASKS, random_metadata, read_sample
from data.playground.scene import Scene
from data.prompts.geneval_suite import COLORS
from data.prompts.questions import PromptQuestion
from data.spec import Spec, parse_spec
from scorers import registry
from scorers.base import Scorer, Settings, Shown
from scorers.generation import generators
from scorers.geneval.scorer import color_classifier, masked_crop
from scorers.models import pipelines
from scorers.models.clip import Clip
from scorers.models.detectors import open_detector
from scorers.models.detectors.base import Detector, coco_name
from scorers.models.vqa import VqaQuestion, open_vqa
from tools.playground.detector import SIDE
from tools.playground.examples import (
    HELD_OUT_LOOK,
    NAMES,
    answered_questions,
    captioned,
    crowd,
    half_erased,
    held_out_drawing,
    nothing,
    seeded,
    some_spec,
    wrong_by,
)

TASKS_OF_CHANGE: Final[dict[str, tuple[str, ...]]] = {
    "object": ("single_object", "two_object", "colors"),
    "count": ("counting",),
    "colour": ("colors", "color_attr"),
    "relation": ("position",),
}
_SIDE: Final = 128


def measure_clip(folder: Path, n: int = 300) -> dict[str, float]:
    """Share of right choices for each kind of change, and of crops whose colour is right."""
    clip = Clip(str(folder))
    figures = {f"four_captions_{change}": _four_captions(clip, change, n) for change in TASKS_OF_CHANGE}
    return figures | {"colour_of_masked_crops": _crops(clip, n)}


def _four_captions(clip: Clip, change: str, n: int) -> float:
    right = asked_in_all = 0
    for seed in range(n):
        metadata, scene = captioned("held-out", seed + 7 * 10**6, TASKS_OF_CHANGE[change])
        wrong = wrong_by(change, metadata, scene, 3, seeded("held-out", seed), ANY_LOOK)
        if wrong:
            seen = clip.images([Image.fromarray(render(scene, _SIDE).image)])
            right += int((seen @ clip.texts([metadata["prompt"], *wrong]).T).argmax() == 0)
            asked_in_all += 1
    return right / asked_in_all


def _crops(clip: Clip, n: int) -> float:
    """GenEval's colour test: three prompts per colour averaged, the object on grey, cropped to its box."""
    right = 0
    for seed in range(n):
        scene = crowd("held-out", seed)
        picture = render(scene, _SIDE)
        number = int(np.argmax(picture.masks.sum(axis=(1, 2))))
        placed, box = scene.objects[number], picture.boxes[number].tolist()
        crop = masked_crop(Image.fromarray(picture.image), picture.masks[number], (box[0], box[1], box[2], box[3]))
        scores = color_classifier(clip, placed.kind) @ clip.images([crop])[0]
        right += int(COLORS[int(scores.argmax())] == placed.color)
    return right / n


_NUMBERS: Final = {coco_name(name): number for number, name in enumerate(NAMES)}
CONFIDENCES: Final = (0.3, 0.5, 0.7, 0.9)
_LEVELS: Final = np.arange(0.5, 1.0, 0.05)


@dataclass(frozen=True, slots=True, eq=False)
class PictureDetections:
    """Detections of one picture: N x 4 boxes in pixels, N class numbers, N confidences, N x side x side masks, or None."""

    boxes: NDArray[np.float64]
    kinds: NDArray[np.int64]
    confidence: NDArray[np.float64]
    masks: NDArray[np.bool_] | None


def detect(detector: Detector, images: Sequence[NDArray[np.uint8]]) -> list[PictureDetections]:
    """All detections above the confidence that the detector keeps, most confident first."""
    detections = []
    for seen in detector.detect([Image.fromarray(image) for image in images], [()] * len(images)):
        masks = [detected_object.mask for detected_object in seen if detected_object.mask is not None]
        detections.append(
            PictureDetections(
                np.array([detected.box for detected in seen], float).reshape(-1, 4),
                np.array([_NUMBERS[detected.label] for detected in seen], np.int64),
                np.array([detected.score for detected in seen], float),
                np.array(masks, bool).reshape(-1, SIDE, SIDE) if len(masks) == len(seen) else None,
            )
        )
    return detections


def measure_detector(folder: Path, scenes: int = 400) -> dict[str, float]:
    """The figures; shares are of pictures. Those of masks where the detector gives masks."""
    detector = open_detector(str(folder), SIDE, 0.01, 0.7, "cpu")
    held_out = [captioned("held-out", seed)[1] for seed in range(scenes)]
    pictures = [render(scene, SIDE) for scene in held_out]
    seen = detect(detector, [picture.image for picture in pictures])
    figures = {"scenes": float(scenes)}
    truth = [np.array([NAMES.index(placed.kind) for placed in scene.objects]) for scene in held_out]
    overlaps = {"box": [_box_overlaps(p.boxes, s.boxes) for p, s in zip(pictures, seen, strict=True)]}
    masks = [one.masks for one in seen if one.masks is not None]
    if len(masks) == len(seen):
        overlaps["mask"] = [_mask_overlaps(p.masks, mask) for p, mask in zip(pictures, masks, strict=True)]
    for name, shared in overlaps.items():
        precision = average_precision(truth, seen, shared)
        figures[f"{name}_map50"], figures[f"{name}_map50_95"] = float(precision[:, 0].mean()), float(precision.mean())
    for confidence in CONFIDENCES:
        figures[f"exact_objects_at_{confidence}"] = _exact_share(held_out, seen, confidence)
    counting, shown = _counting(scenes // 2)
    for confidence in CONFIDENCES:
        figures[f"exact_objects_counting_at_{confidence}"] = _exact_share(counting, detect(detector, shown), confidence)
    return figures | _negatives(detector, scenes // 4)


def _counting(n: int) -> tuple[list[Scene], list[NDArray[np.uint8]]]:
    scenes = []
    for seed in range(n):
        rng = seeded("held-out", seed + 5 * 10**6)
        scenes.append(draw(parse_spec(random_metadata("counting", rng, HELD_OUT_LOOK)), seed, HELD_OUT_LOOK))
    return scenes, [render(scene, SIDE).image for scene in scenes]


def _negatives(detector: Detector, n: int) -> dict[str, float]:
    """Share of pictures without any object, and of half-erased ones, in which something too much is found at 0.5."""
    blank = [nothing("held-out", seed, SIDE, blobs=bool(seed % 2)) for seed in range(n)]
    halves = [half_erased("held-out", seed, SIDE) for seed in range(n)]
    figures = {}
    for name, examples in (("blobs_and_noise", blank), ("half_erased", halves)):
        seen = detect(detector, [example.image for example in examples])
        too_many = [np.sum(s.confidence > 0.5) > len(example.kinds) for s, example in zip(seen, examples, strict=True)]
        figures[f"false_alarms_{name}_at_0.5"] = float(np.mean(too_many))
    return figures


def _exact_share(scenes: list[Scene], seen: list[PictureDetections], confidence: float) -> float:
    """Share of scenes in which the kinds found, with their numbers, are exactly those that are there."""
    right = [
        sorted(NAMES.index(p.kind) for p in scene.objects) == sorted(s.kinds[s.confidence > confidence].tolist())
        for scene, s in zip(scenes, seen, strict=True)
    ]
    return float(np.mean(right))


def average_precision(
    truth: list[NDArray[np.int64]], seen: list[PictureDetections], overlaps: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """kinds x 10 overlap levels: the area under precision by recall, at 101 points."""
    hits = np.concatenate([_hits(t, s, o) for t, s, o in zip(truth, seen, overlaps, strict=True)])
    order = np.argsort(-np.concatenate([s.confidence for s in seen]))
    hits, kinds, there = hits[order], np.concatenate([s.kinds for s in seen])[order], np.concatenate(truth)
    return np.array([_areas(hits[kinds == kind], int((there == kind).sum())) for kind in np.unique(there)])


def _areas(hits: NDArray[np.bool_], count: int) -> list[float]:
    """Of one kind with so many objects: detections x 10 levels, most confident first."""
    if not len(hits):
        return [0.0] * len(_LEVELS)
    found = hits.cumsum(axis=0)
    recall, precision = found / count, found / np.arange(1, len(hits) + 1)[:, None]
    points = np.linspace(0, 1, 101)
    areas = []
    for level in range(len(_LEVELS)):
        at = np.concatenate([[0.0], recall[:, level], [recall[-1, level], 1.0]])
        best = np.maximum.accumulate(np.concatenate([[1.0], precision[:, level], [0.0, 0.0]])[::-1])[::-1]
        areas.append(float(np.trapezoid(np.interp(points, at, best), points)))
    return areas


def _hits(truth: NDArray[np.int64], seen: PictureDetections, overlap: NDArray[np.float64]) -> NDArray[np.bool_]:
    """detections x 10 levels: whether each detection, most confident first, finds a free object of its kind."""
    hits = np.zeros((len(seen.kinds), len(_LEVELS)), bool)
    for column, level in enumerate(_LEVELS):
        free = np.ones(len(truth), bool)
        for k in np.argsort(-seen.confidence):
            candidates = np.where(free & (truth == seen.kinds[k]), overlap[:, k], 0.0)
            if len(candidates) and candidates.max() >= level:
                free[candidates.argmax()] = False
                hits[k, column] = True
    return hits


def _box_overlaps(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(box_iou(torch.from_numpy(a), torch.from_numpy(b)))


def _mask_overlaps(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> NDArray[np.float64]:
    first, second = (part.reshape(len(part), SIDE * SIDE).astype(np.float64) for part in (a, b))
    shared = first @ second.T
    return np.asarray(shared / np.maximum(first.sum(axis=1)[:, None] + second.sum(axis=1) - shared, 1.0))


_QUESTION_LOOKS: Final[dict[str, SceneLook]] = {"held-out": HELD_OUT_LOOK, "any": ANY_LOOK}
_OTHERS: Final = 2
_QUESTION_BATCH: Final = 32


@dataclass(frozen=True, slots=True)
class HeldOutAnswer:
    """A question with the scene's answer and the model's; ``own``: of the prompt that the picture was drawn for."""

    question: PromptQuestion
    own: bool
    said: str


@dataclass(frozen=True, slots=True)
class HeldOutPicture:
    """A picture and its questions: first those of its own prompt, ``own`` of them."""

    image: Image.Image
    questions: tuple[PromptQuestion, ...]
    own: int


def held_out_picture(look: SceneLook, number: int, seed: int = 0) -> HeldOutPicture:
    """The picture of a number; the tasks take turns."""
    spec, drawing, rng = held_out_drawing(TASKS[number % len(TASKS)], 10**8 * (seed + 1) + number, look)
    scene = drawing.scene
    own = answered_questions(spec, scene)
    others = [question for _ in range(_OTHERS) for question in answered_questions(some_spec(scene, rng), scene)]
    return HeldOutPicture(Image.fromarray(render(scene).image), (*own, *others), len(own))


def answer_pictures(model: Any, pictures: Sequence[HeldOutPicture]) -> list[HeldOutAnswer]:
    """What the model (a ``Vqa``) answers."""
    held_out_answers: list[HeldOutAnswer] = []
    for start in range(0, len(pictures), _QUESTION_BATCH):
        some = pictures[start : start + _QUESTION_BATCH]
        queries = [[VqaQuestion(question.text, question.choices) for question in picture.questions] for picture in some]
        for picture, answers in zip(some, model.answer([picture.image for picture in some], queries), strict=True):
            for k, (question, answer) in enumerate(zip(picture.questions, answers, strict=True)):
                held_out_answers.append(HeldOutAnswer(question, k < picture.own, answer.chosen))
    return held_out_answers


def answer_figures(answers: Sequence[HeldOutAnswer]) -> dict[str, dict[str, float]]:
    """By element type and form: share of right answers, how many, the share that always giving the commonest true answer gets
    right, and the share that guessing does."""
    groups: dict[str, list[HeldOutAnswer]] = {}
    for case in answers:
        kind, form = case.question.element_type, "yes/no" if case.question.is_yes_no else "choices"
        for name in (f"{kind}, {form}", f"all, {form}", "all"):
            groups.setdefault(name, []).append(case)
    figures = {}
    for name, some in sorted(groups.items()):
        commonest = Counter(case.question.answer for case in some).most_common(1)[0][1]
        figures[name] = {
            "right": round(sum(case.said == case.question.answer for case in some) / len(some), 4),
            "n": len(some),
            "commonest": round(commonest / len(some), 4),
            "chance": round(sum(1 / len(case.question.choices) for case in some) / len(some), 4),
        }
    return figures


def measure_vqa(folder: str, pictures: int, seed: int = 0) -> dict[str, Any]:
    """The figures of both looks, of prompts' own questions and of others."""
    model = open_vqa(folder, "cpu", {"answering": "choices"})
    figures: dict[str, Any] = {}
    for name, look in _QUESTION_LOOKS.items():
        seen = answer_pictures(model, [held_out_picture(look, number, seed) for number in range(pictures)])
        figures[name] = {
            "own questions": answer_figures([case for case in seen if case.own]),
            "other questions": answer_figures([case for case in seen if not case.own]),
        }
    return figures


_BATCH: Final = 32
_TASKS_OF_SCORER: Final = {"geneval": TASKS, "visor": ("single_object", "two_object", "position")}
"""The tasks that a scorer says ``correct`` of."""


@dataclass(frozen=True, slots=True)
class JudgedScene:
    """A drawn scene with its task, and whether the scorer called it correct."""

    task: str
    spec: Spec
    drawing: DrawnScene
    said: bool
    reason: str

    @property
    def right(self) -> bool:
        return self.said == self.drawing.correct


def judged_scenes(scorer: Scorer, per_task: int, settings: Settings, seed: int = 0) -> list[JudgedScene]:
    """``per_task`` scenes of each of the scorer's tasks, about half of them with a fault, and what it says."""
    tasks = _TASKS_OF_SCORER[scorer.name]
    perceiver = scorer.open(settings, "cpu")
    judged: list[JudgedScene] = []
    for start in range(0, per_task * len(tasks), _BATCH):
        numbers = range(start, min(start + _BATCH, per_task * len(tasks)))
        drawn = [held_out_drawing(tasks[n % len(tasks)], 10**7 * (seed + 1) + n, HELD_OUT_LOOK) for n in numbers]
        shown = [Shown(str(n), Image.fromarray(render(d.scene).image), "", spec) for n, (spec, d, _) in enumerate(drawn)]
        for n, (spec, drawing, _), seen in zip(numbers, drawn, perceiver.perceive(shown), strict=True):
            verdict = scorer.judge(spec, seen, settings)
            assert verdict.correct is not None, (spec, verdict)
            judged.append(JudgedScene(tasks[n % len(tasks)], spec, drawing, verdict.correct, verdict.reason))
    return judged


def scorer_figures(scenes: list[JudgedScene]) -> dict[str, float]:
    """Shares of right verdicts: by task, of sound scenes, and of broken ones by fault."""

    def share(some: list[JudgedScene]) -> float:
        return round(sum(case.right for case in some) / len(some), 4)

    tasks = dict.fromkeys(case.task for case in scenes)
    shares = {f"task {task}": share([case for case in scenes if case.task == task]) for task in tasks}
    shares["sound"] = share([case for case in scenes if case.drawing.correct])
    shares["broken"] = share([case for case in scenes if not case.drawing.correct])
    for fault in sorted({case.drawing.fault for case in scenes if case.drawing.fault is not None}):
        shares[f"fault {fault}"] = share([case for case in scenes if case.drawing.fault == fault])
    return {"scenes": len(scenes), **shares}


_FIRST_SEED = 7000


def detection_counts(generator: str, n: int) -> dict[str, int]:
    """Of ``n`` pictures of each kind, those in which it is found."""
    scorer = registry.get("geneval")
    settings = registry.settings(scorer, "playground")
    perceiver = scorer.open(settings, "cpu")
    paint, _ = generators.load(generator)
    import inflect  # takes seconds to load, and nothing else here needs it

    article = inflect.engine().a
    counts = {}
    for kind in KINDS:
        text = f"a photo of {article(kind)}"
        spec = parse_spec({"tag": "single_object", "include": [{"class": kind, "count": 1}], "prompt": text})
        images = [picture.picture for picture in paint([text] * n, range(_FIRST_SEED, _FIRST_SEED + n))]
        seen = perceiver.perceive([Shown(str(number), image, text, spec) for number, image in enumerate(images)])
        counts[kind] = sum(scorer.judge(spec, observation, settings).judgements[0].label == "yes" for observation in seen)
    return counts


def sample_figures(folder: Path) -> dict[str, dict[str, float]]:
    """Shares of correct pictures: by generator, and by task, their unweighted mean (``overall``), and ``found``."""
    sample = read_sample(folder)
    prompts = {prompt.prompt_id: prompt for prompt in sample.prompts}
    images = {image.image_id: image for image in sample.images}
    scorer = registry.get("geneval")
    (run,) = (each for each in sample.runs if each.job().scorer == scorer.name)
    by_generator: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for seen in run.observations():
        image = images[seen.item_id]
        prompt = prompts[image.prompt_id]
        judgements = scorer.judge(prompt.demands, seen, run.job().settings).judgements
        shares = by_generator[image.generator]
        shares[str(prompt.task)].append(
            next(judgement.label == "yes" for judgement in judgements if judgement.aspect == "correct")
        )
        if prompt.task == "single_object":
            shares["found"].append(any(judgement.label == "yes" for judgement in judgements if judgement.aspect == "present"))
    return {generator: _shares(tasks) for generator, tasks in sorted(by_generator.items())}


def _shares(tasks: dict[str, list[bool]]) -> dict[str, float]:
    shares = {task: sum(tasks[task]) / len(tasks[task]) for task in (*TASKS, "found")}
    overall = sum(shares[task] for task in TASKS) / len(TASKS)
    return {name: round(share, 4) for name, share in {**shares, "overall": overall}.items()}


def main(words: Sequence[str] | None = None) -> None:
    """Command line: one subcommand for each kind of thing to measure."""
    parser = argparse.ArgumentParser(description="Held-out figures of the playground's models, scorers and generators.")
    subparsers = parser.add_subparsers(required=True)

    def command(name: str, about: str, figures: Callable[[Any], dict[str, Any]]) -> argparse.ArgumentParser:
        made = subparsers.add_parser(name, help=about)
        made.set_defaults(figures=figures)
        return made

    clip = command("clip", "the image-text model", lambda options: _rounded(measure_clip(options.folder, options.n)))
    clip.add_argument("folder", type=Path)
    clip.add_argument("--n", type=int, default=300)
    detector = command("detector", "the detector", lambda options: _rounded(measure_detector(options.folder, options.scenes)))
    detector.add_argument("folder", type=Path)
    detector.add_argument("--scenes", type=int, default=400)
    vqa = command(
        "vqa", "the question answering model", lambda options: measure_vqa(options.folder, options.pictures, options.seed)
    )
    vqa.add_argument("folder")
    vqa.add_argument("--pictures", type=int, default=600, help="of each look")
    vqa.add_argument("--seed", type=int, default=0)
    scorer = command("scorer", "a scorer's verdicts on careless scenes", _scorer_figures)
    scorer.add_argument("scorer", choices=[*_TASKS_OF_SCORER])
    scorer.add_argument("--per-task", type=int, default=100)
    scorer.add_argument("--seed", type=int, default=0)
    scorer.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    generator = command("generator", "a generator, on single objects", _generator_figures)
    generator.add_argument("generator", choices=list(pipelines.PLAYGROUND_STAGES))
    generator.add_argument("--n", type=int, default=10, help="pictures of each kind")
    sample = command("sample", "shares of correct pictures of the sample", lambda options: sample_figures(options.sample))
    sample.add_argument("--sample", type=Path, default=FOLDER)
    arguments = parser.parse_args(words)
    torch.set_num_threads(1)
    print(json.dumps(arguments.figures(arguments), indent=2))


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}


def _generator_figures(arguments: argparse.Namespace) -> dict[str, Any]:
    counts = detection_counts(arguments.generator, arguments.n)
    share = sum(counts.values()) / arguments.n / len(counts)
    return {"found": share, "n": arguments.n * len(counts), **counts}


def _scorer_figures(arguments: argparse.Namespace) -> dict[str, float]:
    """Those that are wrong are listed beside."""
    scorer = registry.get(arguments.scorer)
    settings = registry.settings(scorer, "playground", dict(override.split("=", 1) for override in arguments.set))
    cases = judged_scenes(scorer, arguments.per_task, settings, arguments.seed)
    for case in cases:
        if not case.right:
            print(f"{case.task}, {case.drawing.fault or 'sound'}: {case.reason or 'called correct'}", file=sys.stderr)
    return scorer_figures(cases)


if __name__ == "__main__":
    main()
