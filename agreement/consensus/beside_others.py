"""Each person beside the label that the others give the same unit.

The others' label is a consensus without the person's own answer (`Consensus.held_out`). Beside it a person's answers are a
table of two raters: how often both say the same, how often they would by chance, and Cohen's kappa, the share of what chance
leaves that the person gets right. Somebody who answers whatever the unit shows has a kappa of 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.consensus.methods import Consensus, CrowdAnswers
from agreement.numeric import BoolArray, ratio
from agreement.statistics.two_raters import PairSums, cohen_kappa, pair_columns


@dataclass(frozen=True, eq=False)
class BesideOthers:
    """A person's answers to units that have a label by the others.

    Attributes:
        equal: (answers,), True where the person gives that label, in the order of the answers.
        chance: share of equal ones if the same labels were given to units by chance; NaN without answers.
        kappa: Cohen's kappa; NaN without answers, and where both give one label throughout.
    """

    equal: BoolArray
    chance: float
    kappa: float


def beside_others(answers: CrowdAnswers, consensus: Consensus) -> list[BesideOthers]:
    """Compare every person with the others, by the person's code; a unit without a label by the others is left out."""
    compared = consensus.held_out >= 0
    person, own, others = answers.person[compared], answers.label[compared], consensus.held_out[compared]
    persons, labels = answers.persons, answers.labels
    sums = PairSums.unpack(pair_columns(own, others, person, persons, labels, ordinal=False), labels)
    chance, kappa = ratio((sums.rows * sums.columns).sum(-1), sums.pairs**2), cohen_kappa(sums)
    order = np.argsort(person, kind="stable")
    split = np.split((own == others)[order], np.cumsum(np.bincount(person, minlength=persons))[:-1])
    return [BesideOthers(equal, float(chance[code]), float(kappa[code])) for code, equal in enumerate(split)]
