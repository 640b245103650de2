"""SelfEval's Tables 2 and 3 (Rambhatla and Misra 2023, arXiv 2311.10708, section 4.2): votes and metrics by task.

Printed are totals: how many clear votes each of two models got in a task, and one value of each metric. Ties were not
published, nor were prompts, images, and who voted and how many did; so of a vote only its task and its winner are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SELFEVAL_PAPER: Final = "SelfEval, arXiv 2311.10708"

SELFEVAL_TASKS: Final = ("attribute", "color", "count", "shape", "spatial")
"""Attribute binding, color, count, shape, spatial: the columns, each of two models."""


@dataclass(frozen=True, slots=True)
class SelfEvalMetric:
    """A row of a table.

    Attributes:
        printed: by column, as printed; exponents as in ``-8.6E14``.
        lower_is_better: an arrow down stands beside it; its values are stored negated, so that more is better.
    """

    name: str
    printed: str
    lower_is_better: bool = False

    @property
    def rater_id(self) -> str:
        """What it is called here: the user's own CLIPScore, say, is another rater."""
        return f"{self.name} (printed{', negated' if self.lower_is_better else ''})"

    @property
    def values(self) -> tuple[float, ...]:
        """By column, larger is better."""
        return tuple(-float(text) if self.lower_is_better else float(text) for text in self.printed.split())


@dataclass(frozen=True, slots=True)
class SelfEvalTable:
    """One table: two models with different text encoders.

    Attributes:
        humans: winning votes by column: of each task first the model with CLIP, then that with T5.
    """

    where: str
    suite: str
    models: tuple[str, str]
    humans: tuple[int, ...]
    metrics: tuple[SelfEvalMetric, ...]


SELFEVAL_PIXEL: Final = SelfEvalTable(
    "Table 2",
    "selfeval-pdm",
    ("PDM-CLIP", "PDM-T5"),
    (24, 117, 29, 42, 41, 69, 30, 7, 19, 72),
    (
        SelfEvalMetric("CLIPScore", "0.90 0.98 0.89 0.91 0.81 0.76 0.86 0.82 0.76 0.78"),
        SelfEvalMetric(
            "MID", "-8.6E14 -2.1E14 -2.7E5 -1.8E5 -8.6E3 -1.1E4 -4.6E3 -2.6E3 -1.0E15 -5.6E15", lower_is_better=True
        ),
        SelfEvalMetric("VPEval", "61.6 63.1 86.9 86.0 16.7 31.9 94.6 91.9 18.1 25.3"),
        SelfEvalMetric("LLMScore", "6.6 8.2 15.5 15.8 7.3 9.2 10.82 9.9 23.5 25.6"),
        SelfEvalMetric("SelfEval", "50.4 53.3 28.5 30.8 22.8 25.2 33.2 34.3 33.6 34.0"),
    ),
)

SELFEVAL_LATENT: Final = SelfEvalTable(
    "Table 3",
    "selfeval-ldm",
    ("LDM-CLIP", "LDM-T5"),
    (14, 140, 27, 69, 11, 140, 25, 48, 21, 73),
    (
        SelfEvalMetric("CLIPScore", "0.89 0.99 0.85 0.80 0.76 0.80 0.76 0.86 0.75 0.83"),
        SelfEvalMetric(
            "MID", "-8.1E14 -1.3E14 -1.1E5 -1.1E5 -2.1E4 -7.6E3 -1.1E3 -2.1E3 4.33E14 -8.0E15", lower_is_better=True
        ),
        SelfEvalMetric("VPEval", "60.4 66.0 87.5 85.7 64.7 18.9 92.9 92.2 34.1 23.4"),
        SelfEvalMetric("LLMScore", "9.2 9.1 15.4 17.3 9.6 8.4 11.6 10.6 21.4 23.1"),
        SelfEvalMetric("SelfEval", "51.0 54.1 33.0 34.4 24.4 26.3 33.8 33.5 33.4 35.8"),
    ),
)
SELFEVAL_TABLES: Final = (SELFEVAL_PIXEL, SELFEVAL_LATENT)


@dataclass(frozen=True, slots=True)
class SelfEvalClaim:
    """What the paper says in words of these numbers; ``key`` names how ``reproduce selfeval`` decides it."""

    key: str
    where: str
    words: str


SELFEVAL_CLAIMS: Final = (
    SelfEvalClaim(
        "pdm_each_disagrees", "Section 4.3", "On the PDMs, each metric disagreed with human judgment on at least one split"
    ),
    SelfEvalClaim(
        "ldm_two_disagree_less",
        "Section 4.3",
        "On the LDMs, CLIPScore and SelfEval are the only two with significantly less disagreement with human raters",
    ),
    SelfEvalClaim("ldm_others_negative", "Section 4.3", "On the LDMs, all metrics except SelfEval have a negative correlation"),
    SelfEvalClaim("pdm_others_positive", "Figure 6", "Existing metrics show good correlation with pixel diffusion models"),
    SelfEvalClaim("selfeval_positive", "Figure 6", "SelfEval positively correlates with both types of models"),
)
"""Figure 6 itself is drawn, its correlations are not printed."""


def selfeval_votes(table: SelfEvalTable) -> Mapping[str, Mapping[str, int]]:
    """Winning votes by task and model."""
    return {
        task: dict(zip(table.models, table.humans[2 * k : 2 * k + 2], strict=True)) for k, task in enumerate(SELFEVAL_TASKS)
    }


def selfeval_values(table: SelfEvalTable, metric: SelfEvalMetric) -> Mapping[str, Mapping[str, float]]:
    """A metric's values by task and model, larger is better."""
    return {
        task: dict(zip(table.models, metric.values[2 * k : 2 * k + 2], strict=True)) for k, task in enumerate(SELFEVAL_TASKS)
    }
