"""Other people's statistics, to compare with, loaded when first called: every test process collects all tests, and loading
them takes seconds."""

from __future__ import annotations

from functools import reduce
from importlib import import_module
from typing import Any


class Late:
    """A module, or something in it, that is imported when it is called."""

    def __init__(self, module: str, *names: str) -> None:
        self._module, self._names = module, names

    def __getattr__(self, name: str) -> Late:
        if name.startswith("__"):  # what copies, pickles or inspects looks for these, and is to find none
            raise AttributeError(name)
        return Late(self._module, *self._names, name)

    def __call__(self, *args: Any, **how: Any) -> Any:
        function: Any = reduce(getattr, self._names, import_module(self._module))
        return function(*args, **how)


krippendorff = Late("krippendorff")
optimize = Late("scipy.optimize")
special = Late("scipy.special")
stats = Late("scipy.stats")
metrics = Late("sklearn.metrics")
model_selection = Late("sklearn.model_selection")
anova = Late("statsmodels.stats.anova")
contingency_tables = Late("statsmodels.stats.contingency_tables")
formulas = Late("statsmodels.formula.api")
inter_rater = Late("statsmodels.stats.inter_rater")
multitest = Late("statsmodels.stats.multitest")
proportion = Late("statsmodels.stats.proportion")
sm = Late("statsmodels.api")
