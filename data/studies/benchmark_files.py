"""Files of five published studies of text-to-image models, as released: GenAI-Bench, ImagenHub, VIEScore, TIA2 (TextNorm), and
the votes of GenAI-Arena.

None has image files. A rating off its scale is kept as a rating without a value (``off_scale``), and named with its file and
line. What a file gives as "no answer" is no rating.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from data.files import InputError, Problems, check_name, fail, located, printable, quoted, read_text
from data.json_files import JsonStream, json_entries, parse_json
from data.records import Image, Item, Prompt
from data.studies.study_files import AnnotationRow, ScoreRow, StudyRatings, is_number
from data.tables import read_table
from data.validation import text_of

OFF_SCALE: Final = "off_scale"
GENAI_SUITE: Final = "genai-bench"
GENAI_SCALE: Final = range(1, 6)
IMAGENHUB_SUITE: Final = "imagenhub"
CONSISTENCY: Final = "semantic_consistency"
QUALITY: Final = "perceptual_quality"
TIA2_SUITE: Final = "tia2"
TIA2_SETS: Final = ("composition", "comprehensive", "counting")
TIA2_PRINTED: Final = "human (printed)"
"""TIA2's printed share of fitting images of a prompt, as a scorer of the prompt's total."""
ARENA_SUITE: Final = "arena"
LEFT: Final = "left"
RIGHT: Final = "right"
T = TypeVar("T")
_NO_ANSWER: Final = -1
_HALVES: Final = (0, 0.5, 1)
_TASK: Final = "ImagenHub_Text-Guided_IG"
_DIGITS: Final = re.compile(r"[0-9]{1,9}")
_SAMPLE: Final = re.compile(r"sample_([0-9]{1,6})\.jpg")
_TIA2_IMAGE: Final = re.compile(r"image_([0-9]{1,5})_([0-9]{1,3})_([0-9])\.jpg")
_PROMPT: Final = re.compile(r"^Text Prompt: *(\S.*?) *$", re.MULTILINE)
_JUDGES: Final[Mapping[str, str]] = {"SC": CONSISTENCY, "PQ": QUALITY}
_VIESCORE_GENERATORS: Final[Mapping[str, str]] = {"DALLE2": "DALLE"}
"""VIEScore's own names, by ImagenHub's where they differ."""


def _entries(path: Path) -> Iterator[tuple[int, str, Any]]:
    """``(line, key, entry)`` of a JSON object of objects."""
    for line, key, entry in JsonStream.of_text(path, read_text(path)).object():
        if not isinstance(entry, dict):
            fail(path, line, f"{quoted(key)} holds {quoted(entry)}, an object expected")
        yield line, key, entry


def _is_finite(value: Any) -> bool:
    return is_number(value) and math.isfinite(value)


def _value_of(entry: Mapping[str, Any], key: str, kind: type[T], expected: str) -> T:
    """The value that an entry has under a key; ValueError says what is expected."""
    value = entry.get(key)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{quoted(key)} is {quoted(value)}, {expected} expected")
    return value


def _checked(rows: Sequence[Any], path: Path) -> None:
    if not rows:
        raise InputError(located(path, None, "holds no ratings"))


def read_genai_bench(images: Path, skills: Path, suite: str = GENAI_SUITE) -> StudyRatings:
    """GenAI-Bench: ``genai_image_*.json`` (three ratings 1 to 5 of each generator's image) and ``genai_skills_*.json``.

    Raters have no names, so they are slots. A prompt's task is ``advanced`` or ``basic``; its skills stand in ``raw``.

    Raises:
        InputError: an entry is not as it should be; nothing is read then.
    """
    tags = parse_json(skills, 1, read_text(skills))
    if not (isinstance(tags, dict) and all(isinstance(numbers, list) for numbers in tags.values())):
        fail(skills, None, "lists of prompts' numbers by skill are expected")
    problems = Problems(images)
    prompts: list[Prompt] = []
    rows: list[AnnotationRow] = []
    off: list[str] = []
    for line, key, entry in _entries(images):
        with problems.at(line):
            if not _DIGITS.fullmatch(key) or key.lstrip("0") != text_of(entry, "id").lstrip("0"):
                raise ValueError(f"entry {quoted(key)} has the id {quoted(entry.get('id'))}")
            named = [name for name, numbers in tags.items() if int(key) in numbers]
            task = next((name for name in ("advanced", "basic") if name in named), None)
            prompt = Prompt(f"{suite}/{int(key):05d}", suite, text_of(entry, "prompt"), task)
            prompts.append(prompt)
            for generator in _value_of(entry, "models", dict, "ratings by generator"):
                ratings = _value_of(entry["models"], generator, list, "a list of ratings")
                image = Image(prompt.prompt_id, check_name(generator, "the generator"), 0)
                for slot, rating in enumerate(ratings, 1):
                    if not _is_finite(rating):
                        raise ValueError(f"{generator} has the rating {quoted(rating)}, a number expected")
                    raw = {"generator": generator, "ratings": ratings, "skills": named}
                    on_scale, off_scale = {"faithfulness": rating}, dict[str, Any]()
                    if rating not in GENAI_SCALE:
                        on_scale, off_scale = off_scale, on_scale
                        problem = f"{key}, {generator}, rating {slot}: {rating} is not on the scale 1 to 5"
                        off.append(located(images, line, problem))
                    rows.append(AnnotationRow(image, f"{suite}/slot-{slot}", on_scale, raw, off_scale=off_scale))
    problems.check()
    _checked(rows, images)
    return StudyRatings(tuple(prompts), tuple(rows), excluded=tuple(off))


def read_imagenhub(tables: Sequence[Path], texts: Mapping[str, str]) -> StudyRatings:
    """ImagenHub: a table for each person, whose cells are lists ``[semantic consistency, perceptual quality]`` of 0, 0.5 and 1.

    Args:
        tables: ``Text-To-Image_rater1.tsv`` and so on; persons keep these names.
        texts: prompts' texts by sample, as far as they are known: these tables do not have them.

    Raises:
        InputError: a cell is not as it should be, or the tables are about different images; nothing is read then.
    """
    rows: list[AnnotationRow] = []
    prompts: dict[str, Prompt] = {}
    off: list[str] = []
    cells_of_first: set[tuple[str, str]] = set()
    for path in tables:
        table, problems = read_table(path), Problems(path)
        person = f"{IMAGENHUB_SUITE}/{path.stem.rpartition('_')[2]}"
        for line, cells in table.rows():
            try:
                uid = cells["uid"]
                prompt = prompts.setdefault(uid, _sample(uid, texts))
                for generator, cell in list(cells.items())[1:]:
                    ratings = _pair(cell)
                    on_scale = {aspect: value for aspect, value in ratings.items() if value in _HALVES}
                    off_scale = {aspect: value for aspect, value in ratings.items() if value not in _HALVES}
                    off += [located(path, line, f"{uid}, {generator}: {cell} is not of 0, 0.5 and 1") for _ in off_scale]
                    image = Image(prompt.prompt_id, check_name(generator, "the generator"), 0)
                    raw = {"uid": uid, "cell": cell}
                    rows.append(AnnotationRow(image, person, on_scale, raw, off_scale=off_scale, identity="person"))
            except (ValueError, KeyError) as error:
                problems.add(line, f"no column {error}" if isinstance(error, KeyError) else str(error))
        problems.check()
        mine = {(uid, name) for _, cells in table.rows() for uid in [cells["uid"]] for name in table.header[1:]}
        cells_of_first = cells_of_first or mine
        if other := sorted(mine ^ cells_of_first):
            fail(path, None, f"is about other images than {tables[0].name}: {', '.join(other[0])}, for one")
    _checked(rows, tables[0])
    return StudyRatings(tuple(prompts.values()), tuple(rows), excluded=tuple(off))


def is_sample(text: str) -> bool:
    """Whether a prompt's text is only ImagenHub's name for it."""
    return _SAMPLE.fullmatch(text) is not None


def _sample(uid: str, texts: Mapping[str, str]) -> Prompt:
    match = _SAMPLE.fullmatch(uid)
    if match is None:
        raise ValueError(f"uid is {quoted(uid)}, 'sample_0.jpg' and so on expected")
    return Prompt(f"{IMAGENHUB_SUITE}/{int(match[1]):05d}", IMAGENHUB_SUITE, texts.get(uid, uid))


def _pair(cell: str) -> dict[str, float]:
    """The two ratings of a cell by aspect."""
    try:
        pair = json.loads(cell)
    except json.JSONDecodeError:
        pair = None
    if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_finite, pair)):
        raise ValueError(f"a cell is {quoted(cell)}, a list of two numbers expected, such as [0.5, 1]")
    return dict(zip(_JUDGES.values(), pair, strict=True))


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """What language models and metrics say of ImagenHub's images.

    Attributes:
        texts: prompts' texts by sample, as the judges read them.
        missing: by judge the images without a score (it refused, or its answer could not be read).
        excluded: scores off their scale 0 to 10, with file and line.
    """

    scores: tuple[ScoreRow, ...]
    prompts: tuple[Prompt, ...]
    texts: Mapping[str, str]
    missing: Mapping[str, int]
    excluded: tuple[str, ...]


def viescore_files(folder: Path) -> list[tuple[Path, str, str]]:
    """``(path, scorer, generator)`` of the judges' and metrics' files of text-to-image generation below a folder."""
    judges = sorted(folder.glob(f"results_*_0shot/{_TASK}/*/??.json"))
    files = [(path, f"{path.parents[2].name.removeprefix('results_')} {path.stem}", path.parent.name) for path in judges]
    metrics = sorted(folder.glob(f"results_autometrics/{_TASK}/*.json"))
    return [*files, *((path, "", path.stem) for path in metrics)]


def read_viescore(folder: Path) -> JudgeScores:
    """VIEScore's judges: 0 to 10 with a written reason; of several scores of an image the smallest counts, as in their code.

    Scorers are called ``gpt4o_0shot SC`` (semantic consistency) and ``gpt4o_0shot PQ`` (perceptual quality); metrics as in the
    file. Generators have ImagenHub's names.

    Raises:
        InputError: there are no such files, or a score cannot be read; nothing is read then.
    """
    files = viescore_files(folder)
    if not files:
        raise InputError(located(folder, None, f"no results_*_0shot/{_TASK}/GENERATOR/SC.json below this folder"))
    scores: list[ScoreRow] = []
    texts: dict[str, str] = {}
    off: list[str] = []
    samples: set[str] = set()
    for path, scorer, generator in files:
        problems = Problems(path)
        for line, uid, entry in _entries(path):
            with problems.at(line, f"{uid}: "):
                image = Image(_sample(uid, {}).prompt_id, _VIESCORE_GENERATORS.get(generator, generator), 0)
                samples.add(uid)
                if not scorer:
                    for metric, value in entry.items():
                        if not _is_finite(value):
                            raise ValueError(f"{quoted(metric)} is {quoted(value)}, a number expected")
                        scores.append(ScoreRow(image, metric, float(value)))
                    continue
                if text := _PROMPT.search(str(entry.get("prompt_input", ""))):
                    texts.setdefault(uid, text[1])
                value = _smallest(entry.get("score"))
                if not 0 <= value <= 10:
                    off.append(located(path, line, f"{printable(uid)}: {value:g} is not on the scale 0 to 10"))
                    continue
                scores.append(ScoreRow(image, scorer, value, str(entry.get("reasoning", ""))))
        problems.check()
    images = len({score.image for score in scores})
    count = Counter(score.rater_id for score in scores)
    missing = {name: images - n for name, n in count.items()}
    prompts = tuple(_sample(uid, texts) for uid in sorted(samples, key=lambda uid: int(uid[7:-4])))
    return JudgeScores(tuple(scores), prompts, texts, missing, tuple(off))


def _smallest(score: Any) -> float:
    """A judge's score: a number, a text that is one, or the smallest of a list."""
    numbers = score if isinstance(score, list) and score else [score]
    try:
        return min(float(number) for number in numbers if not isinstance(number, bool))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"the score is {quoted(score)}, a number or a list of numbers expected") from None


@dataclass(frozen=True, slots=True)
class Tia2Study:
    """TIA2's ratings, and by prompt the share of fitting images as released (``printed``)."""

    ratings: StudyRatings
    printed: Mapping[str, float]


def read_tia2(folder: Path) -> Tia2Study:
    """TIA2: whether each image of Stable Diffusion 2.1 fits its caption, by three slots (1, 0, or -1 for no answer).

    ``human_labels_*.json`` hold the labels of each set, which is the prompt's task; ``alignment_scores_*.json`` by caption the
    share of fitting images, and metrics.

    Raises:
        InputError: an entry is not as it should be; nothing is read then.
    """
    prompts: dict[str, Prompt] = {}
    rows: list[AnnotationRow] = []
    printed: dict[str, float] = {}
    unanswered: dict[str, int] = {}
    for name in TIA2_SETS:
        path, problems = folder / f"human_labels_{name}.json", Problems(folder / f"human_labels_{name}.json")
        by_caption: dict[str, Prompt] = {}
        for line, key, entry in _entries(path):
            with problems.at(line):
                match = _TIA2_IMAGE.fullmatch(key)
                if match is None or entry.get("image") != key:
                    raise ValueError(f"{quoted(key)} is no image_PROMPT_BATCH_NUMBER.jpg, or its 'image' differs")
                prompt = Prompt(f"{TIA2_SUITE}/{name}-{int(match[1]):03d}", TIA2_SUITE, text_of(entry, "caption"), name)
                if (
                    prompts.setdefault(prompt.prompt_id, prompt) != prompt
                    or by_caption.setdefault(prompt.text, prompt) != prompt
                ):
                    raise ValueError(f"caption {quoted(prompt.text)} and prompt {match[1]} do not belong to each other alone")
                image = Image(prompt.prompt_id, "sd2.1", 10 * int(match[2]) + int(match[3]))
                labels = _value_of(entry, "human_labels", list, "a list of labels")
                for slot, label in enumerate(labels, 1):
                    if label not in (0, 1, _NO_ANSWER) or isinstance(label, bool):
                        raise ValueError(f"{key} has the label {quoted(label)}, 0, 1 or -1 (no answer) expected")
                    if label == _NO_ANSWER:
                        unanswered[path.name] = unanswered.get(path.name, 0) + 1
                        continue
                    raw = {"image": key, "human_labels": labels}
                    rows.append(AnnotationRow(image, f"{TIA2_SUITE}/slot-{slot}", {"correct": label}, raw))
        problems.check()
        scores = folder / f"alignment_scores_{name}.json"
        for line, caption, entry in _entries(scores) if scores.is_file() else ():
            if caption not in by_caption or not _is_finite(entry.get("human")):
                fail(scores, line, f"{quoted(caption)} is no caption of {path.name}, or has no number 'human'")
            printed[by_caption[caption].prompt_id] = float(entry["human"])
    _checked(rows, folder)
    ratings = StudyRatings(tuple(prompts.values()), tuple(rows), unanswered=unanswered)
    return Tia2Study(ratings, printed)


@dataclass(frozen=True, slots=True)
class ArenaVote:
    """One vote on one pair, with what each judge said of it.

    Attributes:
        chose: ``left``, ``right``, ``both`` or ``none``, as people did.
        judged: by judge the same, None where its answer names none of these; with its words and the released mark.
    """

    item: Item
    chose: str
    raw: Mapping[str, Any]
    judged: Mapping[str, JudgeVote]


@dataclass(frozen=True, slots=True)
class JudgeVote:
    """A judge's vote: as read, as written, whether the file marks it as right, and its words."""

    chose: str | None
    written: str | None
    marked: bool
    response: str


@dataclass(frozen=True, slots=True)
class ArenaVotes:
    """All votes, and the prompts: pairs of one text have one prompt."""

    prompts: tuple[Prompt, ...]
    votes: tuple[ArenaVote, ...]
    excluded: tuple[str, ...] = field(default=())


_VOTES: Final = {"leftvote": LEFT, "rightvote": RIGHT, "tievote": "both", "bothbad_vote": "none"}
_JUDGE_VOTES: Final = {"[[A>B]]": LEFT, "[[B>A]]": RIGHT, "[[A=B=Good]]": "both", "[[A=B=Bad]]": "none"}


def read_arena(files: Sequence[Path]) -> ArenaVotes:
    """GenAI-Arena: ``JUDGE_pairwise.jsonl``, a line for each vote. The generators are not named, so sides are.

    Raises:
        InputError: a line is not as it should be, or two files are about different votes; nothing is read then.
    """
    prompts: dict[str, Prompt] = {}
    votes: dict[int, ArenaVote] = {}
    unread: list[str] = []
    for path in files:
        judge, problems = path.name.removesuffix("_pairwise.jsonl"), Problems(path)
        seen: set[int] = set()
        for _, line, read in json_entries(path, read_text(path)):
            with problems.at(line):
                entry = read()
                if not isinstance(entry, dict):
                    raise ValueError(f"a line is {quoted(entry)}, an object expected")
                number, text = _value_of(entry, "idx", int, "a whole number"), text_of(entry, "prompt")
                vote, marked = _VOTES.get(text_of(entry, "human_vote")), _value_of(entry, "correct", bool, "true or false")
                if vote is None or number in seen:
                    raise ValueError(f"vote {number} is {quoted(entry['human_vote'])}, or stands there twice")
                seen.add(number)
                prompt = prompts.setdefault(text, Prompt(f"{ARENA_SUITE}/{len(prompts):05d}", ARENA_SUITE, text))
                item = Item(f"{prompt.prompt_id}/vote {number}", ARENA_SUITE, prompt.prompt_id, None, None, "pair")
                raw = {"idx": number, "human_vote": entry["human_vote"], "generators": [LEFT, RIGHT]}
                known = votes.setdefault(number, ArenaVote(item, vote, raw, {}))
                if (known.item, known.chose) != (item, vote):
                    raise ValueError(f"vote {number} is another one than in {files[0].name}")
                written = None if entry.get("model_vote") is None else text_of(entry, "model_vote")
                chose = read_choice(written)
                if chose is None:
                    unread.append(located(path, line, f"vote {number}: the judge's answer {quoted(written)} names no vote"))
                judge_vote = JudgeVote(chose, written, marked, str(entry.get("response") or ""))
                votes[number] = replace(known, judged={**known.judged, judge: judge_vote})
        problems.check()
        if seen != votes.keys():
            fail(path, None, f"has {len(seen)} votes, {files[0].name} has others")
    _checked([*votes], files[0])
    return ArenaVotes(tuple(prompts.values()), tuple(votes.values()), tuple(unread))


def read_choice(written: str | None, *, exactly: bool = True) -> str | None:
    """The vote that a judge's answer names, None for none; not ``exactly``: also where other words stand around it."""
    if exactly or written is None:
        return _JUDGE_VOTES.get(written or "")
    return next((vote for sign, vote in _JUDGE_VOTES.items() if sign in written), None)
