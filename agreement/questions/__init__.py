"""Questions about images: TIFA's scores from a VQA model's answers, and the model beside people who answered the same questions
(Hu et al. 2023, TIFA, sections 3 and 5).

Frames of answers have the columns ``MODEL_COLUMNS``, those of people ``PEOPLE_COLUMNS``. The same question about the same
image can have been asked in other words: only answers with the same ``wording`` meet.
"""

from agreement.questions.people import Split, beside_people, people_answers, splits, with_people
from agreement.questions.scores import (
    ALL,
    GROUPINGS,
    MODEL_COLUMNS,
    PEOPLE_COLUMNS,
    GroupStatistic,
    Unit,
    between_models,
    scores,
)

__all__ = [
    "ALL",
    "GROUPINGS",
    "MODEL_COLUMNS",
    "PEOPLE_COLUMNS",
    "GroupStatistic",
    "Split",
    "Unit",
    "beside_people",
    "between_models",
    "people_answers",
    "scores",
    "splits",
    "with_people",
]
