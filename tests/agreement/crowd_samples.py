"""Models of a crowd once more, written independently of crowd-kit: loops over dictionaries, slow and plain."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pandas as pd

from tests.agreement.oracles import special

Answer = tuple[str, str, str]
"""Item, rater, label."""
Table = dict[str, dict[str, float]]
TINY = 1e-10


def answers_frame(answers: Sequence[Answer]) -> pd.DataFrame:
    return pd.DataFrame(answers, columns=["item", "rater", "label"])


def ugly_answers(seed: int, labels: str = "abc", items: int = 30) -> list[Answer]:
    """Unequal raters (one always says the first label, one answers once), holes, ties, items with a single answer."""
    rng = np.random.default_rng(seed)
    skill = {"r0": 0.95, "r1": 0.8, "r2": 0.6, "r3": 0.35}
    answers: list[Answer] = []
    for n in range(items):
        truth = int(rng.integers(len(labels)))
        for rater, right in skill.items():
            if rng.random() < 0.7:
                label = truth if rng.random() < right else int(rng.integers(len(labels)))
                answers.append((f"i{n:02}", rater, labels[label]))
        if rng.random() < 0.4:
            answers.append((f"i{n:02}", "constant", labels[0]))
    answers.append(("i00", "once", labels[-1]))
    return answers


class DawidSkene:
    """EM from the shares of labels by item, until the bound grows by less than 1e-5 an answer, at most 100 times."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.said = answers
        self.items, self.raters, self.labels = (sorted({answer[k] for answer in answers}) for k in range(3))
        by_item = defaultdict(list)
        for item, _, label in answers:
            by_item[item].append(label)
        self.posterior: Table = {i: {k: by_item[i].count(k) / len(by_item[i]) for k in self.labels} for i in self.items}
        self._maximise()
        bound = -math.inf
        for _ in range(100):
            self._expect()
            self._maximise()
            new = self._bound() / len(answers)
            if new - bound < 1e-5:
                break
            bound = new

    def _maximise(self) -> None:
        n = len(self.items)
        self.prior = {k: max(sum(self.posterior[i][k] for i in self.items) / n, TINY) for k in self.labels}
        self.heard: dict[tuple[str, str], dict[str, float]] = {}
        for item, rater, label in self.said:
            row = self.heard.setdefault((rater, label), dict.fromkeys(self.labels, 0.0))
            for k in self.labels:
                row[k] += self.posterior[item][k]
        self.errors: dict[tuple[str, str], dict[str, float]] = {}
        for (rater, label), row in self.heard.items():
            total = {k: sum(max(r[k], TINY) for (other, _), r in self.heard.items() if other == rater) for k in self.labels}
            self.errors[rater, label] = {k: max(row[k], TINY) / total[k] for k in self.labels}

    def _expect(self) -> None:
        self.posterior = {item: self.belief([one for one in self.said if one[0] == item]) for item in self.items}

    def belief(self, answers: Sequence[Answer]) -> dict[str, float]:
        """How probable each label is by some answers about one item."""
        logs = {
            k: math.log(self.prior[k]) + sum(math.log(self.errors[r, said_][k]) for _, r, said_ in answers) for k in self.labels
        }
        top = max(logs.values())
        total = sum(math.exp(value - top) for value in logs.values())
        return {k: math.exp(value - top) / total for k, value in logs.items()}

    def _bound(self) -> float:
        joint = sum(
            self.posterior[item][k] * (math.log(self.errors[rater, label][k]) + math.log(self.prior[k]))
            for item, rater, label in self.said
            for k in self.labels
        )
        remaining = {i: {k: max(p, TINY) for k, p in row.items()} for i, row in self.posterior.items()}
        self.posterior = remaining  # crowd-kit's own are floored there, too
        return joint - sum(p * math.log(p) for row in remaining.values() for p in row.values())

    def accuracy(self, rater: str) -> float:
        """Recall by label, weighted by the priors of the labels of which half an item is expected among the rater's."""
        met = {k: sum(row[k] for (other, _), row in self.heard.items() if other == rater) for k in self.labels}
        right = {k: self.heard.get((rater, k), {}).get(k, 0.0) for k in self.labels}
        known = [k for k in self.labels if met[k] >= 0.5]
        return sum(self.prior[k] * right[k] / met[k] for k in known) / sum(self.prior[k] for k in known)


class Mace:
    """Variational Bayes with some starts of 50 steps from one random state; the most likely one stays."""

    def __init__(self, answers: Sequence[Answer], seed: int = 0, starts: int = 2) -> None:
        self.items, self.raters = (sorted({answer[k] for answer in answers}) for k in range(2))
        ordered = sorted(answers, key=lambda answer: (answer[1], answer[0]))
        # starting points go to labels in the order in which they appear
        self.labels = list(dict.fromkeys(label for _, _, label in ordered))
        self.said = [(self.items.index(i), self.raters.index(r), self.labels.index(k)) for i, r, k in ordered]
        state = np.random.RandomState(seed)
        best = -math.inf
        for _ in range(starts):
            guess = 1 + 1.5 * state.random_sample((len(self.raters), 2))
            habit = 1 + 1.5 * state.random_sample((len(self.raters), len(self.labels)))
            self.state, self.habit = guess / guess.sum(1, keepdims=True), habit / habit.sum(1, keepdims=True)
            for _ in range(50):
                self._step()
            if (likelihood := float(np.log(self._joint().sum(1) + 1e-8).sum())) > best:
                best, remaining = likelihood, (self.state, self.habit)
        self.state, self.habit = remaining

    def _answer(self, rater: int, said: int) -> np.ndarray:
        """How probable the answer is for each label of the item."""
        guessed = np.full(len(self.labels), self.state[rater, 0] * self.habit[rater, said])
        guessed[said] += self.state[rater, 1]
        return guessed

    def _joint(self) -> np.ndarray:
        result = np.full((len(self.items), len(self.labels)), 1.0 / len(self.labels))
        for item, rater, said in self.said:
            result[item] *= self._answer(rater, said)
        return result

    @property
    def posterior(self) -> Table:
        joint = self._joint()
        share = joint / joint.sum(1, keepdims=True)
        return {item: dict(zip(self.labels, share[n].tolist(), strict=True)) for n, item in enumerate(self.items)}

    def _knowing(self) -> tuple[np.ndarray, np.ndarray]:
        """How often each rater guessed which label, and how often they knew."""
        joint = self._joint()
        share = joint / joint.sum(1, keepdims=True)
        guessed, knew = np.zeros_like(self.habit), np.zeros(len(self.raters))
        for item, rater, said in self.said:
            chance = self.state[rater, 0] * self.habit[rater, said]
            known = share[item, said] * self.state[rater, 1] / (chance + self.state[rater, 1])
            knew[rater] += known
            guessed[rater, said] += 1 - known
        return guessed, knew

    def _step(self) -> None:
        guessed, knew = self._knowing()
        counts = np.stack([guessed.sum(1), knew], axis=1) + 0.5
        self.state = np.exp(special.digamma(counts) - special.digamma(counts.sum(1, keepdims=True)))
        counts = guessed + 10
        self.habit = np.exp(special.digamma(counts) - special.digamma(counts.sum(1, keepdims=True)))

    def competence(self, rater: str) -> float:
        guess, know = self.state[self.raters.index(rater)]
        return float(know / (guess + know))
