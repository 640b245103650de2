"""Typical variance components of people's ratings, to plan a study before anybody has answered.

They are those of published studies, as `agreement.meta.components` computes them, as shares of the square of the scale:

| study | scale | prompt | own | image | person | residual |
|---|---|---|---|---|---|---|
| TIA2 (550 prompts, 50 images each) | yes or no | 0.061 | not told apart | 0.055 | not told apart | 0.130 |
| GenAI-Bench (1,600 prompts) | 1 to 5 | 0.060 | 0.025 | in prompt | not told apart | 0.026 |
| TIFA (160 prompts) | 1 to 5 | 0.043 | 0.015 | in prompt | not told apart | 0.022 |
| ImagenHub, semantic consistency (197 prompts) | 0, 0.5, 1 | 0.057 | 0.031 | in prompt | 0.000 | 0.039 |

Yes or no is TIA2's, with half of the prompts' variance a generator's own, as in the other three (0.36 to 0.55). Grades are the
medians of the other three.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from agreement.meta.components import Components


def _components(prompt: float, own: float, image: float, residual: float) -> Components:
    made, person = (np.array([part]) for part in (prompt, own, image, residual)), np.array([np.nan])
    prompts, owns, images, rest = made
    return Components(prompts, owns, images, person, rest, images=1.0, ratings=1.0, persons=0, prompts=0)


TYPICAL_YES_NO: Final = _components(0.061, 0.031, 0.055, 0.130)
TYPICAL_GRADES: Final = _components(0.057, 0.025, np.nan, 0.026)
