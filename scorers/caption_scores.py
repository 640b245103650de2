"""How near a caption is to a prompt, as TIFA's caption baselines measure it (Hu et al., 2023, Table 2), each from 0 to 1.

Words are runs of letters and digits, in lower case, as ``rouge-score`` has them; the published figures come of another
tokenizer (PTB, in Java) and differ in the third digit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

_WORD: Final = re.compile(r"[a-z0-9]+")
_BETA: Final = 1.2
_TINY: Final = 1e-15


@dataclass(frozen=True, slots=True)
class Nearness:
    """``bleu4``: BLEU-4 of one sentence, orders without a match counting next to nothing (as coco-caption's). ``rouge_l``: F of
    the longest common subsequence, recall weighing 1.2 times (as coco-caption's). ``meteor``: METEOR of 2005 (alpha .9, beta 3,
    gamma .5) by equal words and stems; synonyms would need a dictionary that is in no package."""

    bleu4: float
    rouge_l: float
    meteor: float


class _NoSynonyms:
    """In place of WordNet."""

    def synsets(self, word: str) -> list[Any]:  # noqa: ARG002
        return []


def nearness(caption: str, prompt: str) -> Nearness:
    """Of a caption to the prompt; 0 where either has no words."""
    # a second to import, and wanted by the worker alone
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from nltk.translate.meteor_score import single_meteor_score
    from rouge_score.rouge_scorer import RougeScorer

    said, asked = _WORD.findall(caption.lower()), _WORD.findall(prompt.lower())
    if not said or not asked:
        return Nearness(0.0, 0.0, 0.0)
    bleu = sentence_bleu([asked], said, smoothing_function=SmoothingFunction(epsilon=_TINY).method1)
    common = RougeScorer(["rougeL"]).score(prompt, caption)["rougeL"]
    below = common.recall + _BETA**2 * common.precision
    rouge = (1 + _BETA**2) * common.precision * common.recall / below if below else 0.0
    return Nearness(float(bleu), float(rouge), float(single_meteor_score(asked, said, wordnet=_NoSynonyms())))
