"""Every reader of files and texts from elsewhere, with valid ones to begin with and what it promises to raise: the list.

Readers that write into a project are in ``importers``, routes of the app in ``routes``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from agreement import Scale
from annotation.questionnaires import custom, registry
from annotation.questionnaires.checks import validate
from annotation.questionnaires.form import Asked
from annotation.questionnaires.plain_yaml import read as read_yaml
from data import embeddings, images, masks
from data.export import annotations, judgements, ratings
from data.export.reading import read_cells
from data.formats import coco_annotations, geneval_results, matching, matching_tifa, tifa_results
from data.formats.evidence import read_case
from data.formats.lines import read_lines
from data.journal import appending, read_journal
from data.maps import MapFolder
from data.pictures import JobFolder
from data.prompts.captions import candidates
from data.prompts.files import format_prompts, read_prompts
from data.prompts.flips import KINDS, flip
from data.prompts.question_choices import meant, split_choices
from data.prompts.question_files import Questioned, format_questions, read_questions
from data.prompts.question_text import parse_questions
from data.prompts.questions import from_spec
from data.prompts.reading import parse_json, read_text
from data.prompts.spec import Spec, SpecError, parse_spec
from data.runs import RunFolder
from data.studies import folders, geneval, tifa
from data.studies.ratings import read_ratings
from scorers import geneval_results as geneval_verdicts
from scorers import geneval_rules, own, visor_rules
from scorers import registry as scorer_registry
from scorers.tifa_scores import Tally, scored
from tests.fuzz import seeds
from tests.fuzz.mutating import Files
from tests.fuzz.oracle import said
from ui.access import accounts
from ui.campaigning import known, wish
from ui.commands import forward
from ui.commands.derive import converter, derive

Read = Callable[[Path], object]
"""Reads the files of a case, which lie in this folder; and does with what it reads what the app would do with it."""


@dataclass(frozen=True, slots=True)
class Target:
    """One reader.

    Attributes:
        files: valid ones to begin with; of several sets each is as likely.
        promised: what it may raise, each with one line for people.
    """

    name: str
    files: tuple[Files, ...]
    read: Read
    promised: tuple[type[BaseException], ...] = (ValueError,)
    words: tuple[str, ...] = field(default=())


def _prompts(name: str, folder: Path) -> None:
    found = read_prompts(folder / name, "mine")
    for prompt in found:
        _spec(prompt.text, prompt.spec)
    again = folder / f"again{Path(name).suffix if name.endswith('.jsonl') else '.jsonl'}"
    again.write_text(format_prompts(found), encoding="utf-8")
    if [(one.prompt_id, one.text) for one in read_prompts(again, "mine")] != [(one.prompt_id, one.text) for one in found]:
        raise AssertionError("prompts that were written are read otherwise")


def _spec(text: str, raw: Mapping[str, Any]) -> Spec:
    """What is made of a spec: questions, flips, captions, questionnaires."""
    spec = parse_spec(raw)
    questions = from_spec(spec)
    for kind in KINDS:
        flip(text, raw, kind)
    candidates(text, raw)
    for form in registry.FORMS.values():
        n = 2 if form.item_kind == "pair" else 1
        asked = Asked(text, raw, n, questions, ("g", "h")[:n])
        if form.problem(asked) is None:
            validate(form.build(asked), {})
            derive(form, {"count_0": 1, "preference": "left"}, asked, ["i"] * n)
    return spec


def _loaded(path: Path) -> Any:
    """What somebody else has made of JSON; None where that is nothing."""
    try:
        return parse_json(path, 1, read_text(path))
    except ValueError:
        return None


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _one_spec(folder: Path) -> None:
    raw = _loaded(folder / "spec.json")
    if isinstance(raw, dict):
        _spec("a photo of two dogs left of a red cat", raw)


def _answers(folder: Path) -> None:
    """Whatever a browser sends as answers is checked first, and judged then."""
    given = _loaded(folder / "answers.json")
    if not isinstance(given, dict):
        return
    for name, form in registry.FORMS.items():
        n = 2 if form.item_kind == "pair" else 1
        asked = Asked(str(seeds.CATS["prompt"]), seeds.CATS, n, from_spec(parse_spec(seeds.CATS)), ("g", "h")[:n])
        wrong = validate(form.build(asked), given)
        if not wrong:
            derive(form, given, asked, ["i"] * n)
        elif not all(isinstance(text, str) and text for text in wrong.values()):
            raise AssertionError(f"{name}: {wrong}")


def _evidence(folder: Path) -> None:
    for line in read_lines(folder / "evidence.jsonl"):
        if line.wrong is not None:
            said(line.wrong)
            continue
        case = read_case(line.value)
        for judge in (geneval_rules.judge, visor_rules.judge):
            json.dumps([str(one) for one in judge(case.spec, case.seen, {}).checks])


def _results(folder: Path) -> None:
    totals = geneval_results.Summary()
    for line in read_lines(folder / "results.jsonl"):
        if line.wrong is not None:
            said(line.wrong)
            continue
        one = geneval_results.read_result(line.value)
        geneval_results.place_of(one.filename)
        spec = parse_spec(one.metadata)
        seen = geneval_verdicts.seen_of(one, spec, "i")
        geneval_verdicts.judge(spec, seen, geneval_verdicts.SETTINGS)
        geneval_verdicts.follows(spec, seen, geneval_verdicts.SETTINGS)
        geneval_results.line_of(one)
        totals.add(one.tag, one.metadata, one.correct)
    if totals.n:
        totals.text()


def _tifa_results(name: str, folder: Path) -> None:
    totals = Tally()
    for one in tifa_results.read_results(folder / name):
        for dependent in (False, True):
            if one.answers:
                found = scored(one, dependent=dependent)
                json.dumps(found.to_json(), allow_nan=False)
        if one.answers:
            totals.add(found)
            json.dumps(totals.summary(), allow_nan=False)


def _cells(convert: Callable[..., object], name: str, folder: Path) -> None:
    path = folder / name
    convert(path, read_cells(path))


def _exported(name: str, folder: Path) -> None:
    def convert(scale: str, aspect: str, value: str) -> tuple[str, str | None, float | None]:
        parsed = Scale.parse(scale)
        return str(parsed), *converter(parsed, aspect)(value)

    ratings.read(folder / name, convert)


def _ratings(folder: Path) -> None:
    convert = converter(Scale.parse("ordinal:1-5"), "quality")
    read_ratings(folder / "r.csv", ["image"], "who", "value", convert, "prompt", "gen", "task")


def _study(folder: Path) -> None:
    prompts = geneval.read_metadata(folder / "metadata.jsonl")
    study = geneval.read_annotations(folder / "annotations.csv", "sd", prompts)
    form, by_id = registry.get("geneval"), {prompt.prompt_id: prompt for prompt in prompts}
    for row in study.rows:
        prompt = by_id[row.image.prompt_id]
        derive(form, row.answers, Asked(prompt.text, prompt.spec))


def _places(layout: folders.Layout, folder: Path) -> None:
    skipped: list[folders.Skipped] = []
    found = images.find_images(folder, layout, "g")
    for one in (*skipped, *found.skipped):
        said(one.reason)


def _picture(name: str, folder: Path) -> None:
    path = folder / name
    found = images.read_image_file(path)
    upright = images.open_image(path, found.sha256)
    if upright.size != (found.width, found.height):
        raise AssertionError(f"{upright.size} shown, {(found.width, found.height)} told")
    images.thumbnail(path, 5)


def _mask(folder: Path) -> None:
    masks.unpack(_content(folder / "mask.png"))


def _vectors(folder: Path) -> None:
    content = _content(folder / "vectors.bin")
    embeddings.unpack([content[start : start + 8] for start in range(0, len(content), 8)])


def _run(folder: Path) -> None:
    found = RunFolder(folder)
    found.run()
    work = found.work()
    found.progress()
    for number in found.parts():
        if found.is_of(number, work[:2]):
            found.failures(number)
        for seen in found.read_part(number):
            judged = scorer_registry.get("geneval").judge(Spec(), seen, {})
            json.dumps(judged.reason)


def _job(folder: Path) -> None:
    found = JobFolder(folder)
    found.job()
    found.progress()
    found.opened()


def _map(folder: Path) -> None:
    MapFolder(folder).stage()
    MapFolder(folder).read()


def _journal(folder: Path) -> None:
    path = folder / "j.jsonl"
    n = len(read_journal(path))
    with appending(path) as append:
        append({"a": 1})
    if len(read_journal(path)) != n + 1:
        raise AssertionError("what was added is not read")


def _custom(folder: Path) -> None:
    form = custom.read(read_text(folder / "q.yaml"), "q.yaml")
    n = 1 if form.item_kind == "image" else 2
    asked = Asked("a red cup", n_images=n, generators=("g", "h")[:n])
    form.build(asked)
    derive(form, {}, asked, ["i"] * n)
    for meaning in form.meanings:
        Scale.parse(meaning.scale)


def _campaign(folder: Path) -> None:
    wish.wish(wish.from_yaml(read_text(folder / "c.yaml"), "c.yaml"))


def _known(name: str, folder: Path) -> None:
    known.rows_of(read_text(folder / name))


def _accounts(folder: Path) -> None:
    try:
        accounts.read(folder / "users.toml")
    except accounts.AccountsError as error:
        # an example on lines of its own may follow
        said(str(error).replace(f"\n{accounts.EXAMPLE}", ""))


def _server(folder: Path) -> None:
    found = forward.running(folder)
    if found is not None:
        json.dumps(f"{found.host}:{found.port:d}/{found.token} {found.pid:d}")


def _written(folder: Path) -> None:
    text = _content(folder / "text.txt").decode("utf-8", "surrogateescape")
    for caption in (None, "a cat on a mat"):
        parsed = parse_questions(text, caption)
        format_questions([Questioned(_PROMPT, parsed.kept)])
    for line in text.split("\n")[:20]:
        meant(line, split_choices(line, line))


def _completion(folder: Path) -> None:
    import httpx

    from scorers.models.language import endpoint

    content = _content(folder / "answer.json")
    found = endpoint._read(httpx.Response(200, content=content))
    for status in (200, 400, 429):
        _endpoint()._said(httpx.Response(status, content=content))
    if isinstance(found, endpoint.Completion):
        parse_questions(found.text)


@cache
def _endpoint() -> Any:
    from scorers.models.language.endpoint import Endpoint

    return Endpoint("http://127.0.0.1:1/v1", "m", "key")


def _own(folder: Path) -> None:
    found = own._loaded(folder / "mine.py")
    if isinstance(found, str):
        said(found, 1000)


def _yaml(folder: Path) -> None:
    json.dumps(read_yaml(read_text(folder / "y.yaml")))


def _journal_of_matching(name: str, folder: Path) -> None:
    for wrong in matching.read_matching(folder / name).wrong:
        said(wrong)


_PROMPT: Final = read_prompts.__globals__["Prompt"]("mine/x", "mine", "a cat")
_RUN: Final[Files] = {
    "run.json": seeds.document(
        {
            "run_id": "r",
            "scorer": "geneval",
            "version": "1",
            "profile": "playground",
            "settings": {},
            "device": "cpu",
            "part_size": 2,
        }
    ),
    "manifest.jsonl": seeds.lines(
        *(
            {"item_id": f"geneval/00000/sdv2/{n}", "path": "a.png", "sha256": "0" * 64, "text": "a", "spec": {}}
            for n in range(2)
        )
    ),
    "progress.json": seeds.document({"state": "done", "done": 2, "total": 2, "versions": {"a": "1"}, "warnings": []}),
    "parts/00000.parquet": seeds.part(),
}
_JOB: Final[Files] = {
    "job.json": seeds.document(
        {"generator": "g", "wanted": [{"prompt_id": "p", "index": 0, "text": "t", "seed": 1, "file": "/x"}], "batch_size": 1}
    ),
    "progress.json": _RUN["progress.json"],
    "opened.json": seeds.document({"weights": "w"}),
}
_GENEVAL_FOLDER: Final[Files] = {
    "00000/metadata.jsonl": seeds.lines(seeds.METADATA[0]),
    "00000/samples/0000.png": seeds.picture("PNG"),
    "00001/samples/1.jpg": seeds.picture("JPEG"),
}
_CSV_FOLDER: Final[Files] = {
    "images.csv": b"path,prompt,generator,idx,task\na.png,a cat,g,0,t\nb/c.webp,a dog,,1,\n",
    "a.png": seeds.picture("PNG"),
    "b/c.webp": seeds.picture("WEBP"),
}
_VISOR_FOLDER: Final[Files] = {"1103_0.png": seeds.picture("PNG"), "1103_1.gif": seeds.picture("GIF")}


def _map_file() -> bytes:
    from tempfile import TemporaryDirectory

    import numpy as np

    from data.maps import Map

    with TemporaryDirectory() as folder:
        MapFolder(Path(folder)).write(Map("pca", "m", ("a", "b"), np.zeros((2, 2), np.float32), 2, (0.5, 0.5)))
        return MapFolder(Path(folder)).file.read_bytes()


_PICTURES: Final = {
    "a.png": ("PNG", "RGB"), "p.png": ("PNG", "P"), "l.png": ("PNG", "I;16"), "t.png": ("PNG", "RGBA"),
    "a.jpg": ("JPEG", "RGB"), "c.jpg": ("JPEG", "CMYK"), "a.webp": ("WEBP", "RGB"), "a.gif": ("GIF", "RGB"),
    "a.bmp": ("BMP", "RGB"), "a.tif": ("TIFF", "RGB"), "f.tif": ("TIFF", "F"), "a.avif": ("AVIF", "RGB"),
}  # fmt: skip


def _parted(name: str, kinds: Mapping[str, bytes], read: Callable[[str, Path], object]) -> list[Target]:
    """A target for each file that a reader knows by its name."""
    return [Target(f"{name}: {file}", ({file: content},), partial(read, file)) for file, content in kinds.items()]


READERS: Final[tuple[Target, ...]] = (
    *_parted("prompts", {"p.jsonl": seeds.PROMPTS, "p.json": seeds.PROMPT_LIST, "p.txt": b"a cat\r\na dog\n\n"}, _prompts),
    Target("spec", ({"spec.json": seeds.document(seeds.CATS)}, {"spec.json": seeds.document(seeds.SR2D)}), _one_spec,
           (SpecError,)),
    Target("answers", ({"answers.json": seeds.document({"objects": "a cat", "count_0": 1, "color_0": ["red"], "realism_0": 3,
                        "count_1": 2, "position_x": "left", "position_y": "neither_y", "caption_fit": 4, "faithfulness": 4,
                        "preference": "left", "quality": 3, "blank_image": True})},),
           _answers, ()),
    Target("questions", ({"q.json": seeds.document(seeds.QUESTIONS)}, {"q.json": seeds.lines(*seeds.QUESTIONS)}),
           lambda folder: format_questions(read_questions(folder / "q.json", "tifa"))),
    Target("text of a language model", ({"text.txt": seeds.WRITTEN},), _written, ()),
    Target("answer of an endpoint", ({"answer.json": seeds.COMPLETION},), _completion, ()),
    Target("evidence", ({"evidence.jsonl": seeds.EVIDENCE},), _evidence),
    Target("geneval results", ({"results.jsonl": seeds.RESULTS},), _results),
    *_parted("tifa results", {"r.json": seeds.TIFA_RESULTS, "r.jsonl": seeds.TIFA_LINES}, _tifa_results),
    *_parted("image-text matching", {"rows.jsonl": seeds.MATCHING, "rows.csv": seeds.MATCHING_CSV, "w.jsonl": seeds.WINOGROUND,
             "aro.json": seeds.ARO}, _journal_of_matching),
    Target("matching of tifa", ({"t.json": seeds.PROMPT_LIST, "q.json": seeds.document(seeds.QUESTIONS)},),
           lambda folder: matching_tifa.read_tifa(folder / "t.json", folder / "q.json")),
    Target("co-occurrence", ({"c.json": seeds.COCO},),
           lambda folder: coco_annotations.read_cooccurrence(folder / "c.json", "c")),
    Target("study geneval",
           ({"metadata.jsonl": seeds.lines(*seeds.METADATA), "annotations.csv": seeds.GENEVAL_STUDY},), _study),
    Target("study tifa", ({"t.json": seeds.TIFA_STUDY},), lambda folder: tifa.read_human_annotations(folder / "t.json")),
    Target("ratings", ({"r.csv": seeds.RATINGS},), _ratings),
    *_parted("exported ratings", {"e.csv": seeds.EXPORTED, "e.parquet": seeds.table(seeds.EXPORTED)}, _exported),
    *_parted("exported judgements", {"j.csv": seeds.JUDGEMENTS, "j.parquet": seeds.table(seeds.JUDGEMENTS)},
             partial(_cells, judgements.read)),
    *_parted("exported answers", {"a.jsonl": seeds.ANSWERS_JSONL}, partial(_cells, annotations.read)),
    Target("folder: geneval", (_GENEVAL_FOLDER,), partial(_places, "geneval")),
    Target("folder: visor", (_VISOR_FOLDER,), partial(_places, "visor")),
    Target("folder: csv", (_CSV_FOLDER,), partial(_places, "csv")),
    *(Target(f"picture: {name}", ({name: seeds.picture(*how)},), partial(_picture, name), (images.ImageError,))
      for name, how in _PICTURES.items()),
    Target("mask", ({"mask.png": seeds.mask()},), _mask),
    Target("embeddings", ({"vectors.bin": bytes(range(0, 64, 2)) * 2},), _vectors),
    Target("run", (_RUN,), _run),
    Target("generation", (_JOB,), _job),
    Target("map", ({"map.parquet": _map_file(), "progress.json": seeds.document({"what": "x", "done": 1})},), _map, ()),
    Target("journal", ({"j.jsonl": b'{"a": 1}\n{"b": 2}\n{"c"'},), _journal),
    Target("questionnaire", ({"q.yaml": seeds.QUESTIONNAIRE},), _custom),
    Target("campaign", ({"c.yaml": seeds.CAMPAIGN},), _campaign),
    *_parted("known answers", {"k.csv": seeds.KNOWN, "k.json": seeds.KNOWN_JSON}, _known),
    Target("yaml", ({"y.yaml": seeds.QUESTIONNAIRE}, {"y.yaml": b"a: [1, {b: c}]\nd: |\n  e\n'f': ~\n"}), _yaml),
    Target("accounts", ({"users.toml": seeds.ACCOUNTS},), _accounts),
    Target("server", ({".server.json": seeds.SERVER},), _server, ()),
    Target("scorer of one's own", ({"mine.py": seeds.OWN_SCORER},), _own, ()),
)  # fmt: skip
