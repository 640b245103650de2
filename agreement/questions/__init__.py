"""Questions about images: TIFA's scores from a VQA model's answers, and the model beside people who answered the same questions
(Hu et al. 2023, TIFA, sections 3 and 5).

Frames of answers have the columns ``ASKED``, those of people ``SAID``. The same question about the same image can have been
asked in other words: only answers with the same ``wording`` meet.
"""

from agreement.questions.figures import ALL, ASKED, SAID, Figure, Unit
from agreement.questions.models import between_models
from agreement.questions.people import Split, agreed, beside_people, met, splits
from agreement.questions.scores import GROUPINGS, scores

__all__ = [
    "ALL",
    "ASKED",
    "GROUPINGS",
    "SAID",
    "Figure",
    "Split",
    "Unit",
    "agreed",
    "beside_people",
    "between_models",
    "met",
    "scores",
    "splits",
]
