"""Image-text matching in a project: accuracy against chance, Winoground's scores, votes, fewer trials. The command ``itm`` and
the page Matching show the same rows."""

from ui.matching.frames import answers, posterior_of, trials_of
from ui.matching.rows import Row, Rows, rows

__all__ = ["Row", "Rows", "answers", "posterior_of", "rows", "trials_of"]
