"""Reasons, methods and remarks: codes with values, no words.

The statistics say with a `Reason` why there is no value, interval or verdict, with a `Method` how value and interval were made,
and with a `Remark` what a number says beside others. `concord.common.reason_sentences` has one sentence for each code.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, StrEnum, auto
from typing import Any, NoReturn, TypeAlias


class Party(Enum):
    """A side of a comparison that is no rater with a name."""

    SCORER = auto()
    RATER = auto()
    PEOPLE = auto()
    SIMULATED_PEOPLE = auto()
    MEAN_OF_PEOPLE = auto()
    OTHERS = auto()
    MEAN_OF_OTHERS = auto()
    FIRST_VARIABLE = auto()
    SECOND_VARIABLE = auto()
    SCORE_OF_MODEL = auto()
    SCORE_OF_PEOPLE = auto()
    PASSES_LESS_PEOPLE = auto()
    FAILS_OF_PEOPLE = auto()
    LENGTH_OF_PROMPT = auto()
    LENGTH_OF_QUESTION = auto()
    LENGTH_OF_REASON = auto()
    NUMBER_OF_VOTES = auto()
    METRIC = auto()


Name: TypeAlias = "str | Party | Remark"
"""A rater's name, or who it is."""
Value: TypeAlias = "str | int | float | Party | Coded | tuple[Value, ...] | None"


class ReasonCode(StrEnum):
    """Why there is no value, no interval or no verdict."""

    # intervals
    NO_INTERVAL = auto()
    NO_INTERVAL_FOR_OTHER_PEOPLE = auto()
    ONE_CLUSTER = auto()
    ONE_CLUSTER_IN_A_TASK = auto()
    TOO_MANY_UNITS = auto()
    UNDEFINED_WITHOUT_ONE = auto()
    SAME_WITHOUT_ANY = auto()
    FEW_INFORMATIVE = auto()
    # tasks and sides
    UNDEFINED_IN_TASKS = auto()
    # statistics
    FEWER_THAN_TWO_UNITS = auto()
    CONSTANT = auto()
    NOT_A_NUMBER = auto()
    NOT_BOTH_YES_AND_NO = auto()
    NO_PAIRED_UNIT = auto()
    ONE_UNIT = auto()
    NOTHING_VARIES = auto()
    SAME_VALUE = auto()
    ONE_PERSON = auto()
    TOO_FEW_CROSSED = auto()
    OPPOSITE_ORDER = auto()
    ONE_LABEL_ON_SCALE = auto()
    ONE_LABEL_USED = auto()
    ONE_LABEL_OF_BOTH = auto()
    NO_COMMON_UNIT = auto()
    NEGATIVE_RATIO = auto()
    UNDEFINED_FOR_ONE_GENERATOR = auto()
    NOBODY_RATED = auto()
    # among people, and of a scorer beside them
    NO_RATINGS = auto()
    NO_PERSONS = auto()
    NO_PAIR_OF_PERSONS = auto()
    UNDEFINED_FOR_EVERY_PAIR = auto()
    NOTHING_SHARED = auto()
    NOTHING_OF_CLASS = auto()
    HARDLY_ANY_OTHER_ANSWER = auto()
    ALONE = auto()
    NO_JUDGEMENT_SHARED = auto()
    NO_SUCH_LABEL = auto()
    # two scorers
    NOTHING_SHARED_BY_SCORERS = auto()
    EACH_SIDE = auto()
    # one person left out, and verdicts
    NO_PLACE = auto()
    NO_MAJORITY_OF_OTHERS = auto()
    ONE_LABEL_ON_A_SIDE = auto()
    AMONG_PEOPLE = auto()
    SCORER_UNDEFINED = auto()
    NO_INTERVALS_MADE = auto()
    TOO_FEW_PERSONS = auto()
    SAW_LABELS = auto()
    FINER_THAN_PEOPLE = auto()
    TOO_FEW_TO_DECIDE = auto()
    TOO_FEW_PROMPTS_OR_PEOPLE = auto()
    # folds, cuts and settings
    ONE_SCORE = auto()
    WITHOUT_FOLD = auto()
    FEWER_THAN_FOLDS = auto()
    NO_VERDICT_OF_SCORER = auto()
    UNDEFINED_WITHOUT_FOLD = auto()
    SETTING_CHANGES_NOTHING = auto()
    UNDEFINED_AT_EVERY_VALUE = auto()
    # consensus
    NO_ANSWERS = auto()
    SLOTS_HAVE_NO_MODEL = auto()
    NO_TWO_ABOUT_THE_SAME = auto()
    ONE_LABEL_TELLS_NOBODY = auto()
    CHANCE_DECIDES = auto()
    TOO_MANY_LABELS = auto()
    MODEL_WITHOUT_NUMBERS = auto()
    EVERYBODY_ALIKE = auto()
    MODEL_FOR_EACH_TARGET = auto()
    UNDEFINED_ANSWERS = auto()
    OF_SEVERAL_MODELS = auto()
    NO_CONSENSUS_OF_OTHERS = auto()
    NO_REFIT = auto()
    NO_UNIT_WITH_CONSENSUS = auto()
    # votes and strengths
    NO_VOTE = auto()
    NO_CLEAR_VOTE = auto()
    NO_KNOWN_SIDE = auto()
    NO_PAIR_OF_CLEAR_VOTES = auto()
    NOT_CONNECTED = auto()
    NO_MAXIMUM = auto()
    EVERY_VOTE = auto()
    FEWER_THAN_TWO_POINTS = auto()
    SO_FEW_CLUSTERS = auto()
    UNDEFINED_RESAMPLES = auto()
    SAME_RESAMPLES = auto()
    # captions, flips and questions
    NO_IMAGE_WITH_ALL_CAPTIONS = auto()
    NO_WINOGROUND_GROUP = auto()
    NO_SCORE_BY_BOTH_PROMPTS = auto()
    SAME_SCORE_BY_BOTH_PROMPTS = auto()
    NO_QUESTION_ANSWERED = auto()
    NO_TEXT_WITH_SAME_QUESTIONS = auto()
    NO_IMAGE_ASKED_THE_SAME = auto()
    NOT_ANSWERED_BY_PEOPLE = auto()
    NO_WRONG_ANSWERED_BY_PEOPLE = auto()
    FEWER_THAN_TWO_IMAGES_ANSWERED = auto()
    NO_QUESTION_WITH_TWO_ANSWERS = auto()
    FLIPS_IMPORTED = auto()
    FLIPS_AS_THEY_CAME = auto()
    FLIPS_NOT_READ = auto()
    BESIDES_LEFT_OUT = auto()
    # metrics of suites
    NO_IMAGE_JUDGED = auto()
    NO_IMAGE_WITH_BOTH_OBJECTS = auto()
    NO_EQUIVALENT_PROMPTS = auto()
    # estimates from labels
    EVERY_IMAGE_LABELLED = auto()
    ONE_OF_TWO_HAS_NONE = auto()
    NEVER_SAID_BY_PEOPLE = auto()
    TOO_FEW_LABELLED_PROMPTS = auto()
    NEVER_DIFFER = auto()
    TELLS_TOO_LITTLE = auto()
    TOO_FEW_LABELS = auto()
    TOO_FEW_LABELS_OF_ONE = auto()
    DIFFERENCES_BY_PPI = auto()
    RATES_OF_YES_AND_NO = auto()
    SCORER_GIVES_NUMBERS = auto()
    UNEQUAL_CHANCES = auto()
    NO_MEAN_OF_LABELS = auto()
    JUDGED_NONE = auto()
    MADE_WITH_LABELS_IN_VIEW = auto()
    LABELLED_NONE = auto()
    CHANCE_DREW_NONE = auto()
    NOT_DRAWN_BY_CHANCE = auto()
    ANSWERS_OUTSTANDING = auto()
    # persons, and planning
    NO_NAMED_PERSONS = auto()
    PERSON_APART = auto()
    SHARES_ONE_PROMPT = auto()
    ALL_RATINGS_EQUAL = auto()
    RATINGS_DO_NOT_VARY = auto()
    NO_PERSON_OF_TWO_PROMPTS = auto()
    NO_IMAGE_WITH_TWO_RATINGS = auto()
    NO_IMAGE_WITH_TWO_KNOWN_RATINGS = auto()
    FEWER_THAN_TWO_PROMPTS = auto()
    PLANNED_FOR_ANY_TWO = auto()
    SAID_BY_METHOD = auto()
    # orders of images and generators
    LABELS_WITHOUT_ORDER = auto()
    TIES_DO_AS_WELL = auto()
    NO_PROMPT_WITH_TWO_IMAGES = auto()
    NO_PAIR_OF_GENERATORS = auto()
    FEW_GENERATORS = auto()
    ONE_MEAN_OF_ALL = auto()
    NOT_EVERY_TWO_SHARE = auto()
    GENERATORS_DECIDE_NOTHING = auto()
    RANDOM_AS_GOOD = auto()
    TOO_FEW_PROMPTS = auto()
    UNDEFINED_IN_RESAMPLES = auto()
    SETTLED = auto()
    SAME_IN_DRAWS = auto()
    SAME_IN_RESAMPLES = auto()
    # a scorer in a person's place
    SEVERAL = auto()
    SLOTS_CANNOT_BE_LEFT_OUT = auto()
    NOT_ON_SCALE_OF_PEOPLE = auto()
    TOO_FEW_PERSONS_SHARE = auto()
    DECISION_OF_EACH_PERSON = auto()


class MethodCode(StrEnum):
    """The way in which a value and its interval were made."""

    PARTS = auto()
    CLOPPER_PEARSON = auto()
    JACKKNIFE = auto()
    THESE_PEOPLE = auto()
    MEAN_OVER_TASKS = auto()
    # among people
    MEAN_OF_IMAGES = auto()
    BY_UNIT = auto()
    CHANCE_FROM_ALL = auto()
    ICC_1 = auto()
    ICC_2 = auto()
    FIRST_AGAINST_REST = auto()
    MEAN_OVER_PAIRS = auto()
    # of a scorer, or a person, beside people
    AGAINST_EACH = auto()
    AGAINST_MAJORITY = auto()
    AGAINST_MEAN = auto()
    OWN_MEAN = auto()
    MEAN_OF_SCORER = auto()
    TWO_RATERS = auto()
    SHARE_OF_YES = auto()
    # one person left out
    ONE_RATING_OUT = auto()
    ONE_PERSON_OUT = auto()
    SAME_PLACES = auto()
    SAME_PLACES_LESS_PEOPLE = auto()
    TWO_VALUES = auto()
    # two scorers
    ONE_LESS_OTHER = auto()
    NO_P_SAW_LABELS = auto()
    SIGN_FLIPS = auto()
    HOLM = auto()
    # cuts and settings
    CUT_OUT_OF_FOLD = auto()
    CUT_ON_ALL = auto()
    BAND = auto()
    SHARE_OF_YES_OF_SCORER = auto()
    # consensus
    CONSENSUS_LABEL = auto()
    FITTED_ONCE = auto()
    TWO_CONSENSUSES = auto()
    SCORER_BESIDE_CONSENSUS = auto()
    PERSON_BESIDE_CONSENSUS = auto()
    RATES_WITH_PERSON = auto()
    BESIDE_CONSENSUS_OF_OTHERS = auto()
    MEAN_OF_CONSENSUS = auto()
    PERSON_AGAINST_MAJORITY = auto()
    EXPECTED_ACCURACY = auto()
    COMPETENCE = auto()
    # generators and votes
    DIFFERENCE_OF_MEANS = auto()
    SHARE_OF_VOTES = auto()
    SHARE_OF_LEFT = auto()
    CHANGED_BY_ORDER = auto()
    SAME_PREFERENCE = auto()
    LOG_STRENGTH = auto()
    RHO_OF_VOTES = auto()
    PERCENTILES = auto()
    # captions, flips and questions
    MATCHED_RIGHT = auto()
    MATCHED_BY_CHANCE = auto()
    MATCHED_LESS_CHANCE = auto()
    SHARE_OF_SOFTMAX = auto()
    MEAN_PLACE = auto()
    FIRST_TRIALS = auto()
    ONLY_FIRST_RIGHT_LESS_SECOND = auto()
    TEXT_SCORE = auto()
    IMAGE_SCORE = auto()
    GROUP_SCORE = auto()
    MEAN_BY_BOTH_PROMPTS = auto()
    PREFERRED_PROMPT = auto()
    MEAN_OVER_TEXTS = auto()
    RIGHT_ANSWERS = auto()
    LESS_REFERENCE = auto()
    SCORES_OF_TWO_MODELS = auto()
    SAME_ANSWERS = auto()
    OF_WRONG_ANSWERS = auto()
    EQUAL_ANSWERS = auto()
    EQUAL_ANSWERS_OF_PASSES = auto()
    EQUAL_ANSWERS_OF_FAILS = auto()
    ANSWERS_OF_PASSES = auto()
    UNDECIDED_QUESTIONS = auto()
    SHARE_OF_NO = auto()
    YES_LESS_YES_OF_PEOPLE = auto()
    TIFA_BESIDE_PEOPLE = auto()
    LENGTH_BESIDE = auto()
    CHOICES_BY_QUESTION = auto()
    # metrics of suites
    SUITE_METRIC = auto()
    PEOPLE_BY_MAJORITY = auto()
    # estimates from labels
    DRAWN_AS_TOLD = auto()
    DRAWN_IN_CAMPAIGN = auto()
    TRIAL = auto()
    EVERY_IMAGE_LABELLED = auto()
    DIFFERENCE_OF_ESTIMATES = auto()
    ROGAN_GLADEN = auto()
    LABELS_ALONE_SAME_SCORE = auto()
    LABELS_ALONE_NOT_SURER = auto()
    PREDICTION_POWERED = auto()
    FROM_BOTH_INTERVALS = auto()
    WILSON_NEARLY_ALIKE = auto()
    WILSON_OF_ERRORS = auto()
    # persons, and planning
    BY_MOMENTS = auto()
    CHI_SQUARE = auto()
    LEAST_SQUARES = auto()
    VARIANCE_COMPONENTS = auto()
    # orders of images and generators
    PAIRS_IN_RIGHT_ORDER = auto()
    GENERATORS_IN_SAME_ORDER = auto()
    TAU_OF_GENERATORS = auto()
    SOFT_ACCURACY_OF_GENERATORS = auto()
    RANK_SET = auto()
    PERCENTILES_OF_DRAWS = auto()
    PERCENTILE_BOOTSTRAP = auto()
    # a scorer in a person's place
    EVALUATIONS = auto()
    PERSONS_WON_AGAINST = auto()
    AT_LEAST_AS_NEAR = auto()


class RemarkCode(StrEnum):
    """A statement that a number makes beside others."""

    PARTS = auto()
    VERDICT = auto()
    OTHER_PEOPLE = auto()
    CORRECTED_VERDICT = auto()
    NOTHING_SHARED = auto()
    ONE_ANSWER = auto()
    AGREED = auto()
    PREVALENCE_PARADOX = auto()
    BETTER_THAN_RANDOM = auto()
    SCORE_OF = auto()


_WITHOUT_INTERVAL = (ReasonCode.NO_INTERVAL, ReasonCode.NO_INTERVAL_FOR_OTHER_PEOPLE)


class Coded:
    """A code and its values by name; frozen, and equal to another of the same code with equal values.

    It is no dataclass, so that `asdict` of a record that holds one leaves it whole.
    """

    __slots__ = ("code", "values")
    code: StrEnum
    values: tuple[tuple[str, Value], ...]

    def __init__(self, code: StrEnum, **values: Value) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "values", tuple(sorted(values.items())))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name} of a {type(self).__name__} cannot be changed; make another one")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Coded):
            return NotImplemented
        return self.code is other.code and self.values == other.values

    def __hash__(self) -> int:
        return hash((type(self), self.code, self.values))

    def __repr__(self) -> str:
        values = "".join(f", {name}={value!r}" for name, value in self.values)
        return f"{type(self).__name__}({self.code!s}{values})"

    def __deepcopy__(self, _: object) -> Coded:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.code, self.values)

    def __str__(self) -> str:
        """Refuse to stand in a text: `concord.common.reason_sentences` has the words."""
        raise TypeError(f"{self!r} is no text; concord.common.reason_sentences.text says it in words")

    @property
    def without_interval(self) -> bool:
        """Return True if it says that, or why, there is no interval."""
        return any(each.code in _WITHOUT_INTERVAL for each in self.within())

    def within(self) -> Iterator[Coded]:
        """Return this one and all that its values consist of."""
        yield self
        yield from _within(tuple(value for _, value in self.values))


def _restored(kind: type[Coded], code: StrEnum, values: tuple[tuple[str, Value], ...]) -> Coded:
    """Return what was pickled."""
    return kind(code, **dict(values))


def _within(value: Value) -> Iterator[Coded]:
    if isinstance(value, Coded):
        yield from value.within()
    elif isinstance(value, tuple):
        for part in value:
            yield from _within(part)


class Reason(Coded):
    """Why there is no value, no interval or no verdict."""

    __slots__ = ()

    def __init__(self, code: ReasonCode, **values: Value) -> None:
        super().__init__(code, **values)

    @classmethod
    def no_interval(cls, reason: Reason) -> Reason:
        """Return why there is no interval, for this reason."""
        return cls(ReasonCode.NO_INTERVAL, reason=reason)


class Method(Coded):
    """The way in which a value and its interval were made."""

    __slots__ = ()

    def __init__(self, code: MethodCode, **values: Value) -> None:
        super().__init__(code, **values)

    @property
    def remainder(self) -> Method | None:
        """The method without its first part; None where it has only one."""
        if self.code is not MethodCode.PARTS:
            return None
        _, *rest = within if isinstance(within := dict(self.values)["parts"], tuple) else (within,)
        return Method(MethodCode.PARTS, parts=tuple(rest)) if rest else None


class Remark(Coded):
    """A statement that a number makes beside others."""

    __slots__ = ()

    def __init__(self, code: RemarkCode, **values: Value) -> None:
        super().__init__(code, **values)


def joined(*parts: Coded | None) -> Method:
    """Return a method of several parts, one after the other; those that are None are left out. A single one stays as it is."""
    within = tuple(_parts(parts, MethodCode.PARTS))
    if len(within) == 1 and isinstance(within[0], Method):
        return within[0]
    return Method(MethodCode.PARTS, parts=within)


def joined_remarks(*parts: Remark | None) -> Remark:
    """Return a remark of several parts, one after the other; those that are None are left out."""
    return Remark(RemarkCode.PARTS, parts=tuple(_parts(parts, RemarkCode.PARTS)))


def _parts(parts: tuple[Coded | None, ...], several: StrEnum) -> Iterator[Value]:
    for part in parts:
        if part is None:
            continue
        if part.code is several:
            yield from dict(part.values)["parts"]  # type: ignore[misc]
        else:
            yield part


NO_METHOD = joined()
"""The method of a number that was not made."""
