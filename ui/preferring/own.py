"""SelfEval's place beside people's votes: what a generator itself makes of other images' captions (Figures 4 and 6)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from data.store.analysis.preferences import GeneratorValue, ModelValue, PreferenceVote
from scorers.models.files import short_of

_NOT_THE_METHOD: Final = frozenset({"model", "weights", "batch", "precision"})
"""Settings in which raters may differ and still measure the same of their models."""


def own(told: Sequence[PreferenceVote], of_models: Sequence[ModelValue]) -> list[GeneratorValue]:
    """Accuracies of the models that people voted on, as one metric for each way of measuring.

    The images are by others: what people voted on would be the generator's own pictures, and of the paper's it is the real ones
    that count. A generator that is asked in another way (``sdxl@paper``) is the same model.
    """
    voted: dict[str, set[str]] = {}
    for one in told:
        voted.setdefault(one.suite, set()).update((one.first, one.second))
    found = []
    for row in of_models:
        known = voted.get(row.suite, set())
        if row.images not in known:
            found += [
                GeneratorValue(row.suite, row.task, name, row.prompt_id, _called(row), "correct", row.total, row.n)
                for name in sorted(known)
                if name.partition("@")[0] == short_of(str(row.settings["model"]))
            ]
    return found


def _called(row: ModelValue) -> str:
    """The scorer with its settings, whatever its model: the same for all models."""
    scorer = row.rater_id.partition("-")[0]
    return f"{scorer} of its own model ({_said(row.settings)})"


def _said(settings: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in sorted(settings.items()) if key not in _NOT_THE_METHOD}
    plain = (f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in kept.items() if value != "")
    return ", ".join(plain)
