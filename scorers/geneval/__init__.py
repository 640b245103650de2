"""GenEval: perceiving with a detector and a colour classifier (scorer), the rules, and results.jsonl of its own script
(results).
"""

from __future__ import annotations

from typing import Final

THRESHOLD: Final = 0.3
COUNTING_THRESHOLD: Final = 0.9
"""Of detectors' confidences GenEval's own, which counting objects must exceed; the rules' defaults. Commands import these here,
as the rules load numpy."""
