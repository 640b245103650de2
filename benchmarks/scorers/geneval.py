"""GenEval from image files to verdicts: ours against the published loop, with the same random-weight models, in one run.

    uv run benchmarks/scorers/geneval.py [--images 16] [--published 16] [--device cpu] [--precision fp32] [--small]

Both sides read the same files, and give the same evidence and verdicts (asserted; on a GPU, where the last digits depend on how
many pictures go together, what differs is counted). The models have the published sizes (Mask2Former Swin-S, CLIP ViT-L/14), or
are small ones to try this out.

The published loop is restated here (``evaluate_images.py`` and what mmdet does beneath it): one image at a time, all 100 masks
brought to the image's size and copied one by one, and a ``DataLoader`` of four processes for every question of a colour. What
gives other numbers by other packages is ours on both sides: how pictures are read and resized, and the rules.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import open_clip
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import save_file
from torch.nn.functional import interpolate
from torch.utils.data import DataLoader, Dataset
from transformers import (
    BertTokenizer,
    BlipConfig,
    BlipForQuestionAnswering,
    BlipImageProcessor,
    BlipProcessor,
    Mask2FormerConfig,
    Mask2FormerForUniversalSegmentation,
    MPNetConfig,
    MPNetModel,
    SwinConfig,
)

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for a package
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from benchmarks.measuring import Parts, Stopwatch, Timing, command_line, machine, tell, wait_for
from data.images.files import open_image
from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem
from data.prompts.coco import COCO
from data.prompts.geneval_suite import COLORS
from data.spec import Spec, parse_spec
from scorers import registry
from scorers.base import Shown, Verdict
from scorers.geneval.rules import GenEvalRules, counted_objects, judge, same_kind
from scorers.geneval.scorer import TEMPLATES, GenEvalPerceiver, masked_crop
from scorers.models.clip import Clip
from scorers.models.detectors.base import FULL, HALF
from scorers.models.detectors.mask2former import MOST, Frame, Mask2Former, frame, pixels
from scorers.models.devices import cores
from scorers.models.pretrained import by_shape
from scorers.models.soundness import Soundness
from scorers.running import worker

_SWIN: Final = {"embed_dim": 96, "depths": [2, 2, 18, 2], "num_heads": [3, 6, 12, 24], "window_size": 7}
"""Swin-S; the rest of facebook/mask2former-swin-small-coco-instance is the class's defaults."""
_SWIN_SMALL: Final = {"embed_dim": 8, "depths": [1, 1, 1, 1], "num_heads": [1, 2, 2, 2], "window_size": 4}
_HEADS_SMALL: Final = {
    "feature_size": 32, "mask_feature_size": 32, "hidden_dim": 32, "encoder_feedforward_dim": 16, "dim_feedforward": 16,
    "encoder_layers": 1, "decoder_layers": 3, "num_attention_heads": 2, "num_queries": 100,
}  # fmt: skip
_CLIP_SMALL: Final = {
    "embed_dim": 16, "quick_gelu": True,
    "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 1, "layers": 1},
}  # fmt: skip
_CLIP: Final = "ViT-L-14-quickgelu"
_PROCESSING: Final = {
    "mean": [0.48145466, 0.4578275, 0.40821073], "std": [0.26862954, 0.26130258, 0.27577711],
    "interpolation": "bicubic", "resize_mode": "shortest",
}  # fmt: skip
_BLIP_SMALL: Final = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
}  # fmt: skip
"""Of its image encoder and its text models alike; the published ones are the class's defaults (base)."""
_MPNET_SMALL: Final = {**_BLIP_SMALL, "max_position_embeddings": 64}
_BERT: Final = 30522
"""Tokens of BERT's vocabulary, to which BLIP adds two."""
_OBJECTS: Final = 8
"""Of a picture's 100 queries, so many see something: about what a trained model sees."""
_SHOWN_SIDE: Final = 256
_SPREAD: Final = 4.0
"""Of the logits of classes."""


def save_mask2former(folder: Path, *, small: bool) -> Path:
    """A detector that sees a few things in each picture, all wrong."""
    sizes: Mapping[str, Any] = _SWIN_SMALL if small else _SWIN
    swin = SwinConfig(**sizes, out_features=["stage1", "stage2", "stage3", "stage4"])
    heads: Mapping[str, Any] = _HEADS_SMALL if small else {}
    torch.manual_seed(0)
    config = Mask2FormerConfig(backbone_config=swin, id2label=dict(enumerate(COCO)), **heads)
    model = Mask2FormerForUniversalSegmentation(config).eval()
    fed = [paint(seed, (_SHOWN_SIDE, _SHOWN_SIDE)) for seed in (0, 1)]
    batch = torch.stack([pixels(picture, frame(*picture.size, side=_SHOWN_SIDE)) for picture in fed])
    classes = model.class_predictor
    module = model.model.transformer_module
    with torch.inference_mode():
        # drawn as they are they hardly differ, and all would see the same
        module.queries_features.weight.normal_(std=3)
        module.queries_embedder.weight.normal_(std=3)
        classes.weight.normal_()
        classes.bias.zero_()
        logits = model(pixel_values=batch).class_queries_logits.flatten(0, 1)
        # untrained queries are much alike: what tells them apart is what is made large
        scale = _SPREAD / (logits - logits.mean(0)).std()
        classes.weight.mul_(scale)
        classes.bias.copy_(-logits.mean(0) * scale)
        logits = (logits - logits.mean(0)) * scale
        # so that "no object" is the likeliest but for a few
        sure = logits[:, :-1].logsumexp(-1) - logits[:, -1]
        classes.bias[-1] += sure.sort(descending=True).values[_OBJECTS * len(fed)]
    model.save_pretrained(folder)
    return folder


def save_clip(folder: Path, *, small: bool, architecture: str = _CLIP) -> Path:
    """An image-text model that has learnt nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    config: Any = _CLIP_SMALL if small else open_clip.get_model_config(architecture)
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": config, "preprocess_cfg": _PROCESSING}))
    torch.manual_seed(0)
    save_file(open_clip.CLIP(**config).state_dict(), folder / "open_clip_model.safetensors")
    return folder


def save_blip(folder: Path, words: Sequence[str], *, small: bool) -> Path:
    """A model that answers questions at random; ``words``: those that it knows."""
    sizes: Mapping[str, Any] = _BLIP_SMALL if small else {"num_attention_heads": 12}
    vision: Mapping[str, Any] = {**sizes, "image_size": 64 if small else 384, "patch_size": 16}
    marks = {"bos_token_id": _BERT, "sep_token_id": 3, "pad_token_id": 0}
    config = BlipConfig(text_config={**sizes, "vocab_size": _BERT + 2, **marks}, vision_config=vision)
    torch.manual_seed(0)
    model = BlipForQuestionAnswering(config).eval()
    with torch.inference_mode():
        for module in model.modules():
            # drawn as they are, all pictures and questions would get the same answer
            if isinstance(module, torch.nn.Linear):
                module.weight.normal_(std=1.5 * module.in_features**-0.5)
        model.text_decoder.cls.predictions.decoder.weight.mul_(_SPREAD / config.text_config.hidden_size**0.5)
    model.save_pretrained(folder)
    side = vision["image_size"]
    BlipProcessor(BlipImageProcessor(size={"height": side, "width": side}), _bert(words)).save_pretrained(folder)
    return folder


def save_sentence_model(folder: Path, words: Sequence[str]) -> Path:
    """A small model of sentences that has learnt nothing."""
    torch.manual_seed(0)
    tokenizer = _bert(words)
    MPNetModel(MPNetConfig(**_MPNET_SMALL, vocab_size=len(tokenizer), pad_token_id=0)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _bert(words: Sequence[str]) -> Any:
    """As many tokens as BERT has: these words, letters, and others that stand in no text."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    listed = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *letters, *(f"##{letter}" for letter in letters), *"?.,"]
    listed += [f"[unused{k}]" for k in range(_BERT)]
    return BertTokenizer(vocab={word: k for k, word in enumerate(list(dict.fromkeys(listed))[:_BERT])}, do_lower_case=True)


def paint(seed: int, size: tuple[int, int]) -> Image.Image:
    """A smooth background with a few plain boxes; ``size``: width and height."""
    rng = np.random.default_rng(seed)
    image = Image.fromarray(rng.integers(0, 256, (8, 8, 3), np.uint8)).resize(size, Image.Resampling.BICUBIC)
    for _ in range(6):
        (x, y), (w, h) = (rng.uniform(0, 0.8, 2) * size).astype(int), (rng.uniform(0.1, 0.4, 2) * size).astype(int)
        image.paste(tuple(rng.integers(0, 256, 3).tolist()), (int(x), int(y), int(x + w), int(y + h)))
    noise = rng.integers(-4, 5, (size[1], size[0], 3))
    return Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8))


def paintings(folder: Path, n: int, sizes: Sequence[tuple[int, int]]) -> list[Path]:
    """As files, the sizes in turn."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{k:05d}.png" for k in range(n)]
    for k, path in enumerate(paths):
        paint(k + 1, sizes[k % len(sizes)]).save(path)
    return paths


_WORKERS: Final = 4
_CROPS: Final = 16
Object = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""x0, y0, x1, y1, confidence; and its mask."""


class ImageCrops(Dataset[Any]):  # type: ignore[misc]  # torch is not read by mypy
    """GenEval's: each object alone on grey, cropped."""

    def __init__(self, image: Image.Image, objects: list[Object], transform: Any) -> None:
        self._image, self._objects, self._transform = image, objects, transform

    def __len__(self) -> int:
        return len(self._objects)

    def __getitem__(self, k: int) -> torch.Tensor:
        box, mask = self._objects[k]
        x0, y0, x1, y1 = box[:4].tolist()
        return cast(torch.Tensor, self._transform(masked_crop(self._image, mask, (x0, y0, x1, y1))))


class Official:
    """Both models in memory; ``side``: as ``open_detector`` takes it."""

    def __init__(self, detector: Path, clip: Path, side: int, device: str) -> None:
        self._device, self._side = device, side
        loaded = Mask2FormerForUniversalSegmentation.from_pretrained(detector, dtype=torch.float32)
        self.detector = loaded.to(device).eval()
        model, self._transform = open_clip.create_model_from_pretrained(f"local-dir:{clip}", device=device)
        self._clip = model.eval()
        self._tokenizer = open_clip.get_tokenizer(f"local-dir:{clip}")
        self._classifiers: dict[str, torch.Tensor] = {}

    def evaluate(self, item_id: str, path: Path, spec: Spec, rules: GenEvalRules) -> Observation:
        """``evaluate_image``, without the verdict."""
        image = open_image(path)
        boxes, masks = self._inference(image)
        detected: dict[str, list[Object]] = {}
        for index, name in enumerate(COCO):
            order = np.argsort(boxes[index][:, 4], kind="stable")[::-1]
            order = order[boxes[index][order, 4] > rules.needed(spec)][: rules.max_objects]
            if len(order):
                detected[name] = [(boxes[index][k], masks[index][k]) for k in order]
        colors: dict[str, list[tuple[float, ...]]] = {}
        for thing in spec.objects:
            detections = next((some for name, some in detected.items() if same_kind(name, thing.name)), [])[: thing.count]
            if thing.color is not None and len(detections) == thing.count:
                colors[thing.name] = self._color_classification(image, detections, thing.name)
        return Observation(item_id, {}, tuple(_evidence(detected, colors)))

    def _inference(self, image: Image.Image) -> tuple[list[NDArray[np.float64]], list[list[NDArray[np.bool_]]]]:
        """mmdet's ``inference_detector``: of each class its boxes with confidences (n x 5), and masks."""
        fitted = frame(image.width, image.height, self._side)
        with torch.no_grad():
            out = self.detector(pixel_values=pixels(image, fitted)[None].to(self._device))
            labels, boxes, masks = _postprocess(out.class_queries_logits[0], out.masks_queries_logits[0], fitted)
        per_class: list[list[NDArray[np.bool_]]] = [[] for _ in COCO]
        for mask, label in zip(masks, labels, strict=True):
            per_class[int(label)].append(mask.detach().cpu().numpy())
        kinds, rows = labels.cpu().numpy(), boxes.double().cpu().numpy()
        return [rows[kinds == index] for index in range(len(COCO))], per_class

    def _color_classification(self, image: Image.Image, objects: list[Object], name: str) -> list[tuple[float, ...]]:
        if name not in self._classifiers:
            self._classifiers[name] = self._zero_shot_classifier(name)
        # as GenEval's, whose processes are forks: with another way of starting them each would import torch anew
        loader = DataLoader(
            ImageCrops(image, objects, self._transform),
            batch_size=_CROPS,
            num_workers=_WORKERS,
            multiprocessing_context="fork",
        )
        listed: list[tuple[float, ...]] = []
        with torch.no_grad():
            for batch in loader:
                vectors = self._clip.encode_image(batch.to(self._device), normalize=True)
                logits = self._clip.logit_scale.exp() * vectors @ self._classifiers[name]
                listed += [tuple(row) for row in logits.double().softmax(-1).cpu().tolist()]
        return listed

    def _zero_shot_classifier(self, name: str) -> torch.Tensor:
        means = []
        with torch.no_grad():
            for color in COLORS:
                texts = self._tokenizer([template.format(color=color, name=name) for template in TEMPLATES])
                mean = self._clip.encode_text(texts.to(self._device), normalize=True).mean(0)
                means.append(mean / mean.norm())
        return torch.stack(means, 1)


def _postprocess(classes: torch.Tensor, logits: torch.Tensor, fitted: Frame) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """``MaskFormerFusionHead.instance_postprocess``: 100 labels, boxes with confidences, and masks of the image's size."""
    large = interpolate(logits[None], size=fitted.padded, mode="bilinear", align_corners=False)
    large = large[:, :, : fitted.resized[0], : fitted.resized[1]]
    large = interpolate(large, size=fitted.image, mode="bilinear", align_corners=False)[0]
    probabilities = classes.softmax(-1)[:, :-1]
    scores, places = probabilities.flatten(0, 1).topk(min(MOST, probabilities.numel()), sorted=False)
    labels, queries = places % len(COCO), places // len(COCO)
    chosen = large[queries]
    positive = (chosen > 0).float()
    certain = (chosen.sigmoid() * positive).flatten(1).sum(1) / (positive.flatten(1).sum(1) + 1e-6)
    boxes = torch.cat([_boxes(positive.bool()), (scores * certain)[:, None]], -1)
    return labels, boxes, positive.bool()


def _boxes(masks: torch.Tensor) -> torch.Tensor:
    """``mask2bbox``."""
    boxes = masks.new_zeros((len(masks), 4), dtype=torch.float32)
    across, down = masks.any(1), masks.any(2)
    for k in range(len(masks)):
        x, y = torch.where(across[k])[0], torch.where(down[k])[0]
        if len(x) and len(y):
            boxes[k] = boxes.new_tensor([int(x[0]), int(y[0]), int(x[-1]) + 1, int(y[-1]) + 1])
    return boxes


def _evidence(detected: dict[str, list[Object]], colors: dict[str, list[tuple[float, ...]]]) -> list[Detection]:
    listed = []
    for name, objects in detected.items():
        known = next((some for thing, some in colors.items() if same_kind(name, thing)), [])
        for k, (row, _) in enumerate(objects):
            x0, y0, x1, y1, score = row.tolist()
            assert math.isfinite(score)
            listed.append(Detection(name, score, (x0, y0, x1, y1), None, known[k] if k < len(known) else None))
    # the most confident first; of equally confident ones of a kind the rules take the last first
    return listed[::-1]


SIZES: Final = ((512, 512), (1024, 1024), (768, 1024), (1024, 1024), (1360, 768), (1024, 1024))
"""Of the pictures, in turn: what generators give."""
SIZES_SMALL: Final = ((128, 128), (96, 64), (128, 80))
SIDE: Final = 800
SIDE_SMALL: Final = 96
TOLERANCE: Final = 1e-2
"""Of confidences and of colours' probabilities; boxes are equal to the pixel. In single precision the unchanged model of the
published size differs by 1e-4 from itself with another number of threads; in double precision both sides agree to 1e-13."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What both sides are given."""

    work: list[WorkItem]
    settings: dict[str, Any]
    device: str

    @property
    def specs(self) -> list[Spec]:
        return [parse_spec(item.spec) for item in self.work]

    @property
    def detector(self) -> Path:
        return Path(self.settings["detector"])


@dataclass(frozen=True, slots=True)
class EvidenceDifference:
    """The largest differences, how much was compared, and how many objects have another box or are seen by one side alone."""

    score: float = 0.0
    color: float = 0.0
    detections: int = 0
    colors: int = 0
    boxes: int = 0
    alone: int = 0


def prepare(folder: Path, n: int, device: str, small: bool, precision: str = FULL) -> Bench:
    """Models, pictures, and prompts that ask for what the models see in the first of them: of all tasks in turn."""
    side = SIDE_SMALL if small else SIDE
    detector = save_mask2former(folder / "mask2former", small=small)
    clip = save_clip(folder / "clip", small=small)
    # the published loop looks at nothing below the threshold; ours usually keeps more, so that thresholds can be moved later
    overrides = {"detector": str(detector), "clip": str(clip), "detector_side": str(side), "keep": "0.3"}
    if precision == HALF:
        overrides["precision"] = HALF
    settings = registry.settings(registry.get("geneval"), "mask2former-meta", overrides)
    paths = paintings(folder / "images", n, SIZES_SMALL if small else SIZES)
    (seen,) = Mask2Former(str(detector), side=side, keep=0.3, device=device).detect([open_image(paths[0])])
    # two classes only: the texts of a class are read once a run, which is little among thousands of pictures
    names = list(dict.fromkeys(detected.label for detected in seen))[:2]
    assert len(names) == 2, names
    specs = [_prompts_for(k, names) for k in range(n)]
    work = [WorkItem(str(k), str(path), "", "", spec) for k, (path, spec) in enumerate(zip(paths, specs, strict=True))]
    return Bench(work, settings, device)


def _prompts_for(k: int, names: Sequence[str]) -> dict[str, Any]:
    a, b = names[k % len(names)], names[(k + 1) % len(names)]
    color, other = COLORS[k % len(COLORS)], COLORS[(k + 3) % len(COLORS)]
    kinds: list[dict[str, Any]] = [
        {"tag": "color_attr", "include": [{"class": a, "count": 1, "color": color}, {"class": b, "count": 1, "color": other}]},
        {"tag": "colors", "include": [{"class": a, "count": 1, "color": color}]},
        {"tag": "position", "include": [{"class": a, "count": 1}, {"class": b, "count": 1, "position": ["left of", 0]}]},
        {"tag": "counting", "include": [{"class": a, "count": 2}], "exclude": [{"class": a, "count": 3}]},
        {"tag": "two_object", "include": [{"class": a, "count": 1}, {"class": b, "count": 1}]},
        {"tag": "single_object", "include": [{"class": a, "count": 1}]},
    ]
    return kinds[k % len(kinds)]


def ours(bench: Bench, folder: Path, parts: Parts | None = None) -> tuple[list[Observation], list[Verdict], Timing]:
    """The worker, from reading files to parts on disk; timed once its models are in memory, as ``parts`` are."""
    run = RunFolder(folder)
    version = registry.get("geneval").version
    job = Run("benchmark", "geneval", version, "mask2former-meta", bench.settings, bench.device, force=True)
    run.create(job, bench.work)
    clocks: list[Stopwatch] = []
    with ExitStack() as watched:

        def loaded() -> None:
            if parts is not None:
                watched.enter_context(parts)
            clocks.append(Stopwatch())

        assert worker.work_through(run, loaded=loaded)
        timing = clocks[0].took()
    seen = list(run.observations())
    verdicts = [judge(spec, observation, bench.settings) for spec, observation in zip(bench.specs, seen, strict=True)]
    return seen, verdicts, timing


def theirs(bench: Bench, n: int) -> tuple[list[Observation], list[Verdict], Timing]:
    """The published loop over the first pictures, timed likewise."""
    official = Official(bench.detector, Path(bench.settings["clip"]), bench.settings["detector_side"], bench.device)
    rules = GenEvalRules.of(bench.settings)
    clock = Stopwatch()
    seen, verdicts = [], []
    for one, spec in zip(bench.work[:n], bench.specs[:n], strict=True):
        seen.append(official.evaluate(one.item_id, Path(one.path), spec, rules))
        verdicts.append(judge(spec, seen[-1], bench.settings))
    return seen, verdicts, clock.took()


def apart(bench: Bench, mine: Sequence[Observation], other: Sequence[Observation]) -> EvidenceDifference:
    """How far evidence differs, of what counts by the rules; ``other`` knows the colours that were asked for alone.

    Raises:
        AssertionError: on the CPU, another object, another box, or a number further off than ``TOLERANCE``.
    """
    found, rules = EvidenceDifference(), GenEvalRules.of(bench.settings)
    exact = bench.device == "cpu"
    for spec, a, b in zip(bench.specs, mine, other, strict=False):
        assert a.failed is b.failed is None, (a.failed, b.failed)
        for name in sorted({detection.label for detection in (*a.detections, *b.detections)}):
            pairs = [
                [seen.detections[k] for k in counted_objects(seen.detections, name, rules.needed(spec), rules)]
                for seen in (a, b)
            ]
            numbers = [len(some) for some in pairs]
            assert not exact or numbers[0] == numbers[1], (a.item_id, name, [[one.score for one in some] for some in pairs])
            found = replace(found, alone=found.alone + max(numbers) - min(numbers))
            for first, second in zip(*pairs, strict=False):
                found = _wider(found, first, second, exact)
    assert found.detections
    return found


def _wider(found: EvidenceDifference, a: Detection, b: Detection, exact: bool) -> EvidenceDifference:
    assert not exact or a.box == b.box, (a.box, b.box)
    score = abs(a.score - b.score)
    color, colors = 0.0, 0
    if b.colors is not None and a.colors is not None:
        color, colors = max(abs(x - y) for x, y in zip(a.colors, b.colors, strict=True)), 1
    assert not exact or (max(score, color) <= TOLERANCE and (a.colors is not None or b.colors is None)), (score, color)
    return replace(
        found,
        score=max(found.score, score),
        color=max(found.color, color),
        detections=found.detections + 1,
        colors=found.colors + colors,
        boxes=found.boxes + (a.box != b.box),
    )


def forward(bench: Bench, seen: Sequence[Observation]) -> Timing:
    """The models alone, on numbers that are there already: the detector as ours runs it, and as many crops as it classified."""
    side = bench.settings["detector_side"]
    precision = bench.settings.get("precision", FULL)
    detector = Mask2Former(
        str(bench.detector), side=side, keep=bench.settings["keep"], device=bench.device, precision=precision
    )
    clip = Clip(bench.settings["clip"], bench.device)
    images = [open_image(Path(item.path)) for item in bench.work]
    fed = [pixels(image, frame(image.width, image.height, side)).to(bench.device) for image in images]
    n_crops = sum(detection.colors is not None for some in seen for detection in some.detections)
    crops = torch.zeros(clip.looks_at, device=bench.device)
    wait = wait_for(bench.device)
    with torch.inference_mode():
        detector.forward(fed[0][None])
        wait()
        clock = Stopwatch()
        for places in by_shape((one.shape for one in fed), detector.together):
            detector.forward(torch.stack([fed[k] for k in places]))
        for start in range(0, n_crops, clip.together):
            clip.forward(crops.expand(min(clip.together, n_crops - start), -1, -1, -1))
        wait()
        return clock.took()


@dataclass(frozen=True, slots=True)
class HostWork:
    """Seconds an image of 1024 x 1024 beside the models: of the main thread's processor, of all processors, by the clock."""

    main: float
    all: float
    wall: float


class _StubDetector(Mask2Former):
    """Sees ten discs in every image, at once: what comes before and after a GPU's forward pass is left."""

    def __init__(self) -> None:
        self._labels, self._keep, self._side, self._device, self.together = COCO, 0.1, SIDE, "cpu", 8
        # as on a GPU: what follows the forward pass is done in threads
        self._on_cpu, self._antialias = False, True
        self._soundness = Soundness("the stub")
        y, x = torch.meshgrid(torch.arange(200.0), torch.arange(200.0), indexing="ij")
        discs = [20 - ((y - 20 * k - 10) ** 2 + (x - 20 * k - 10) ** 2).sqrt() for k in range(10)]
        self._masks = torch.stack(discs)
        self._classes = torch.full((10, len(COCO) + 1), -9.0)
        self._classes[torch.arange(10), torch.arange(10)] = 9.0

    def forward(self, batch: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        # no two pictures alike, as a working model's numbers are
        own = batch.mean((1, 2, 3))[:, None, None]
        return self._classes + own / 100, (self._masks + own[:, None] / 100)


class _StubClip(Clip):
    """Says the same of every crop, at once."""

    def __init__(self) -> None:
        self.scale, self.together, self._device = 100.0, 64, "cpu"
        self._soundness = Soundness("the stub")
        self._transform = open_clip.image_transform(224, is_train=False)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.normalize(pixels[:, :, ::32, ::32].flatten(1), dim=1)

    def texts(self, texts: Sequence[str], at_once: int | None = None) -> NDArray[np.float32]:  # noqa: ARG002
        return np.ones((len(texts), 147), np.float32)


def host_work(n: int = 16) -> HostWork:
    """With models that take no time: ten objects an image, of which the colour of one is asked."""
    spec = parse_spec({"tag": "colors", "include": [{"class": COCO[0], "count": 1, "color": "red"}]})
    shown = [Shown(str(k), paint(k, (1024, 1024)), "", spec) for k in range(n)]
    perceiver = GenEvalPerceiver(_StubDetector(), _StubClip())
    perceiver.perceive(shown[:2])
    clock, began = Stopwatch(), time.thread_time()
    perceiver.perceive(shown)
    main, timing = time.thread_time() - began, clock.took()
    return HostWork(main / n, timing.cpu / n, timing.wall / n)


_PARTS: Final = {
    "detector": (Mask2Former, "forward"),
    "masks and boxes": (Mask2Former, "_objects"),
    "colours of crops": (Clip, "forward"),
    "texts of colours": (Clip, "texts"),
}


def report(bench: Bench, folder: Path, published: int) -> list[str]:
    """Measure; the lines to print. ``published``: how many pictures the published loop is given."""
    on_gpu = bench.device != "cpu"
    parts = Parts(_PARTS, wait_for(bench.device))
    # a GPU is waited for around each part, which would slow the run that is compared; and neither side pays for its first steps
    watched = ours(bench, folder / "parts", parts)
    seen, verdicts, mine = ours(bench, folder / "run") if on_gpu else watched
    other_seen, other_verdicts, took = theirs(bench, published)
    other = Timing(took.wall / published, took.cpu / published)
    difference = apart(bench, seen, other_seen)
    flipped = sum(a.correct != b.correct for a, b in zip(verdicts, other_verdicts, strict=False))
    reasons = sum(a.reason != b.reason for a, b in zip(verdicts, other_verdicts, strict=False))
    assert on_gpu or not flipped + reasons
    bare = forward(bench, seen)
    host = host_work()
    n = len(bench.work)
    mine, bare = (Timing(one.wall / n, one.cpu / n) for one in (mine, bare))

    def row(what: str, took: Timing) -> str:
        return f"{what:34}{took.wall:>12.3f} s{took.cpu:>14.3f} s"

    return [
        f"{n} images, {published} of them by the published loop, {difference.detections} objects and {difference.colors}"
        f" colours compared, on {bench.device}",
        f"{machine('torch', 'transformers', 'open-clip-torch')}, {torch.get_num_threads()} threads",
        "",
        f"{'an image':34}{'clock':>14}{'processors':>16}",
        row("the published loop", other),
        row("ours", mine),
        row("the models alone", bare),
        "",
        f"ratio: {other.wall / mine.wall:.2f} by the clock, {other.cpu / mine.cpu:.2f} by processors",
        f"images a second: {1 / mine.wall:.2f}, the published loop {1 / other.wall:.2f}, the models alone {1 / bare.wall:.2f}",
        f"share of the models alone: {bare.wall / mine.wall:.2f} by the clock, {bare.cpu / mine.cpu:.2f} by processors",
        f"where ours spends it: {parts.shares(watched[2].wall)}",
        f"beside the models, 1024 x 1024 pixels: {1000 * host.main:.1f} ms of the main thread's processor an image,"
        f" {1000 * host.all:.1f} ms of all; {1 / host.wall:.1f} images a second with {cores()} cores",
        f"other verdicts {flipped}, reasons {reasons}, boxes {difference.boxes}, objects that one side alone sees"
        f" {difference.alone}; confidences within {difference.score:.1e}, colours within {difference.color:.1e}",
    ]


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Make models and pictures, measure, print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("--images", type=int, default=16, help="how many (default 16)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="as torch names it")
    parser.add_argument("--published", type=int, help="of these, how many for the published loop (default all)")
    parser.add_argument("--precision", choices=(FULL, HALF), default=FULL, help="of ours, on a GPU (default fp32)")
    parser.add_argument("--small", action="store_true", help="small models and pictures")
    asked = parser.parse_args(arguments)
    n = max(1, asked.images)
    with tempfile.TemporaryDirectory() as folder:
        bench = prepare(Path(folder), n, asked.device, asked.small, asked.precision)
        lines = report(bench, Path(folder), min(n, asked.published or n))
    return tell(lines)


if __name__ == "__main__":
    main()
