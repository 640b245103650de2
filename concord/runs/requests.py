"""The requests of ``score``, ``export manifest``, ``generate``, ``ablate`` and ``drift``: what a model is to do, and on what.

Nothing heavy is imported, as they make the commands' options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from concord.common.options import BatchSize, Device, First, FirstPrompts, Intervals, JsonLinesFile, Limit, Overrides
from data.requests import Request, Setting

ImageSeed = Annotated[int, Setting("Random seed of the draw of --limit.", minimum=0)]
Numbers = Annotated[str | None, Setting("Comma-separated values; default: those of the profile.", metavar="N,N,...")]
Profile = Annotated[
    str | None, Setting("Settings profile (models and thresholds), such as playground; default: the scorer's first.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRequest(Request):
    """A request to score images: by which scorer and settings, on which device, how many."""

    scorer: Annotated[str, Setting("The scorer, such as geneval; docs/settings.md lists all.", argument=True)]
    profile: Profile = None
    overrides: Overrides = ()
    device: Device = "auto"
    engine: Annotated[str, Setting("local, or ray for several machines. The results are the same.")] = "local"
    batch_size: BatchSize = None
    limit: Limit = None
    first: First = None
    seed: ImageSeed = 0
    force: Annotated[bool, Setting("Go on with a detector that does not find what is on known photographs.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestRequest(Request):
    """A request for a manifest: which images other machines are to score, and the file."""

    scorer: Annotated[str, Setting("The scorer, such as geneval.", argument=True)]
    output: JsonLinesFile
    profile: Profile = None
    overrides: Overrides = ()
    limit: Limit = None
    first: First = None
    seed: ImageSeed = 0
    images: Annotated[bool, Setting("Copy the images next to the manifest, too.", flags="--with-images")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationRequest(Request):
    """A request to compare settings of a likelihood scorer."""

    scorer: Annotated[str, Setting("selfeval, elbo or flowloss.", argument=True)]
    profile: Annotated[str, Setting("Settings profile: the model, and all settings that do not vary.")] = "playground"
    trials: Numbers = None
    steps: Numbers = None
    seeds: Numbers = None
    overrides: Overrides = ()
    device: Device = "auto"
    batch_size: BatchSize = None
    limit: Limit = None
    first: First = None
    plot: Annotated[str | None, Setting("HTML file for the plot.", metavar="FILE.html")] = None
    intervals: Intervals = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRequest(Request):
    """A request to ask a judge again about some images."""

    rater: Annotated[str, Setting("The judge, as agreement names it.", argument=True)]
    n: Annotated[int, Setting("How many of its images to ask about again.", minimum=1)] = 50
    seed: Annotated[int, Setting("Random seed of the draw.", minimum=0)] = 0
    day: Annotated[str | None, Setting("The new rater's date; default: today.")] = None
    overrides: Overrides = ()
    device: Device = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateRequest(Request):
    """A request to generate images: by which model, of which prompts, with which settings."""

    suite: Annotated[str, Setting("A suite of the project; 'playground' always exists.", argument=True)]
    generator: Annotated[
        str,
        Setting(
            "playground-early, playground-late, sd15, sd21, sd21-v, sdxl, pixart, if, if-xl, sd3, sd35, flux, flux-schnell,"
            " sana, qwen-image; a hub id; or a folder with a diffusers pipeline."
        ),
    ]
    task: Annotated[tuple[str, ...], Setting("Only prompts of this task. Repeatable.")] = ()
    n: Annotated[int, Setting("Images per prompt.", minimum=1, maximum=1000)] = 4
    limit: FirstPrompts = None
    seed: Annotated[int, Setting("Random seed of the images.", minimum=0)] = 0
    profile: Annotated[
        Literal["default", "paper", "geneval"],
        Setting(
            "Generation settings: the model's defaults, those of the SelfEval paper (100 DDIM steps), or of GenEval's"
            " script (50 steps, guidance 9)."
        ),
    ] = "default"
    steps: Annotated[int | None, Setting("Denoising steps; default: those of the profile.")] = None
    guidance: Annotated[float | None, Setting("Classifier-free guidance scale; 1 or less: none.")] = None
    sampler: Annotated[Literal["default", "ddim"] | None, Setting("The model's own sampler, or DDIM.")] = None
    precision: Annotated[
        Literal["float32", "float16", "bfloat16"],
        Setting("Precision of the weights; a VAE always runs in float32."),
    ] = "float32"
    device: Device = "auto"
    batch_size: Annotated[int | None, Setting("Batch size in images (4; playground: 16).", minimum=1, maximum=4096)] = None
    name: Annotated[str | None, Setting("Name of the generator; default: the model with changed settings (sdxl@steps=30).")] = (
        None
    )
