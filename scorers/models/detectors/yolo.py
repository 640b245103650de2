"""Ultralytics' segmentation models (AGPL-3.0, hence an optional package): from a yaml and safetensors, where nothing is
unpickled, or from one of Ultralytics' own checkpoints (``yolo11x-seg.pt``): a pickle, of which only known classes are, and
only where ``CONCORD_TRUST_PICKLE=1`` says so."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from PIL import Image
from safetensors import SafetensorError
from safetensors.torch import load_file

from scorers.models.detectors.base import DetectedObject, coco_name, confidence, rounded_box, vocabulary
from scorers.models.files import refuse_pickle, single_line
from scorers.models.pretrained import batch_size
from scorers.models.soundness import Soundness

os.environ.setdefault("YOLO_OFFLINE", "true")
os.environ.setdefault("YOLO_AUTOINSTALL", "false")
os.environ.setdefault("YOLO_VERBOSE", "false")
if "YOLO_CONFIG_DIR" not in os.environ:
    os.environ["YOLO_CONFIG_DIR"] = tempfile.mkdtemp(prefix="concord-ultralytics-")
    atexit.register(shutil.rmtree, os.environ["YOLO_CONFIG_DIR"], ignore_errors=True)

from ultralytics.utils import patches

# its own opener asks for one more package whenever a file is no image, for everybody in the process
Image.open = patches._image_open


_BATCH: Final = 32
_MOST: Final = 300


def load(path: Path) -> Any:
    """The model as an ``ultralytics.YOLO`` ready to predict.

    Args:
        path: a checkpoint (``.pt``) of a model of COCO's 80 classes, or a folder that holds one ``.yaml`` (architecture and
            class ``names``; its own name tells the size, ``yolo11n``) and one ``.safetensors``.

    Raises:
        OSError: there is no such file.
        ValueError: it is no such model, the folder's files do not belong together, or pickles are not to be read.
    """
    yolo = _from_folder(path) if path.is_dir() else _from_checkpoint(path)
    names, n_classes = yolo.model.names, int(yolo.model.model[-1].nc)
    if len(names) != n_classes:
        raise ValueError(f"{path.name} names {len(names)} classes, but its model has {n_classes}")
    if not path.is_dir():
        vocabulary(names, path.name)
    yolo.model.eval()
    return yolo


def _from_folder(folder: Path) -> Any:
    from ultralytics import YOLO
    from ultralytics.utils import YAML

    architecture, weights = _only(folder, "*.yaml"), _only(folder, "*.safetensors")
    try:
        yolo = YOLO(str(architecture), task="segment", verbose=False)
        yolo.model.load_state_dict(load_file(weights))
        yolo.model.names = dict(enumerate(YAML.load(architecture)["names"]))
    except (RuntimeError, KeyError, SafetensorError) as error:
        raise ValueError(f"{weights.name} does not fit {architecture.name}: {single_line(error)}") from error
    return yolo


def _from_checkpoint(path: Path) -> Any:
    from ultralytics import YOLO
    from ultralytics.nn import tasks

    # only known classes are unpickled: the file cannot run code of its own (not by a variable, as that is read but once)
    tasks.SAFE_LOAD = True
    refuse_pickle(path.name)
    if not path.is_file():
        raise OSError(f"there is no file {path.name}; fetch it from Ultralytics' releases into {path.parent.name}/")
    try:
        yolo = YOLO(str(path), verbose=False)
        yolo.model.float()
    except Exception as error:  # unpickling raises whatever the file makes it raise
        raise ValueError(f"{path.name} is not an Ultralytics checkpoint: {single_line(error)}") from error
    if yolo.task not in ("segment", "detect"):
        raise ValueError(f"{path.name} is a model for the task {yolo.task}; segment or detect is needed")
    return yolo


class Yolo:
    """A ``scorers.models.detectors.base.Detector``; its arguments are those of ``Opening``."""

    def __init__(self, path: Path, *, side: int, keep: float, overlap: float = 0.7, device: str = "cpu") -> None:
        self._model = load(path)
        self._batch = batch_size(device, _BATCH)
        # What the network says before anything is chosen from it: numbers that are none would look like nothing found.
        # No method of ours, as ultralytics copies the network with all that hangs on it.
        soundness = Soundness(path.name)

        def check(_network: Any, inputs: tuple[Any, ...], outputs: Any) -> None:
            # of its answers the first is all boxes with their confidences, B x ...
            while not isinstance(outputs, torch.Tensor):
                outputs = outputs[0]
            soundness.check(inputs[0], outputs)

        self._model.model.register_forward_hook(check)
        # its first prediction would be made by one thread and later ones by more, and their last digits would differ
        threads = torch.get_num_threads()
        self._model.model.register_forward_pre_hook(lambda *_: torch.set_num_threads(threads))
        # Not "rect": with it the frame around an image would depend on the other images of its batch.
        self._options = {
            "imgsz": side, "conf": keep, "iou": overlap, "max_det": _MOST, "device": device, "rect": False,
            "retina_masks": True, "verbose": False, "save": False,
        }  # fmt: skip

    @property
    def knows(self) -> frozenset[str]:
        return frozenset(coco_name(name) for name in self._model.model.names.values())

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]] = ()) -> list[list[DetectedObject]]:  # noqa: ARG002
        """See ``Detector``. Ultralytics changes torch's number of threads for the whole process: it is set back."""
        threads = torch.get_num_threads()
        detected: list[list[DetectedObject]] = []
        try:
            for start in range(0, len(images), self._batch):
                # PIL images are taken as RGB; arrays would be taken as BGR
                results = self._model.predict(list(images[start : start + self._batch]), **self._options)
                detected += [_objects(result) for result in results]
        finally:
            torch.set_num_threads(threads)
        return detected


def _objects(result: Any) -> list[DetectedObject]:
    boxes = result.boxes.cpu().numpy()
    masks = None if result.masks is None else result.masks.data.cpu().numpy() > 0.5
    listed = []
    for k in np.argsort(-boxes.conf, kind="stable"):
        label = coco_name(result.names[int(boxes.cls[k])])
        box = rounded_box(boxes.xyxy[k])
        listed.append(DetectedObject(label, confidence(boxes.conf[k]), box, None if masks is None else masks[k]))
    return listed


def _only(folder: Path, pattern: str) -> Path:
    files = sorted(folder.glob(pattern))
    if len(files) != 1:
        raise ValueError(f"{folder.name} must hold one file {pattern}, found {len(files)}")
    return files[0]
