"""What the app does with the files of a case, reader by reader: reads them, and goes on with what was read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agreement import Scale
from annotation.questionnaires import custom, registry
from annotation.questionnaires.base import check
from annotation.questionnaires.custom import read_yaml
from annotation.questionnaires.form import FormItem
from concord.campaigns import known_answers, planning, spec
from concord.common import forwarding
from concord.importing.rating_values import is_missing, is_value, value_reader
from data.export.rows import ExportedRating, columns_of, read_rows
from data.files import read_text
from data.formats import official_results
from data.formats.evidence import read_case
from data.images import files, folders
from data.jobs import runs
from data.jobs.generation import GenerationFolder
from data.jobs.json_records import open_journal, read_journal
from data.jobs.maps import MapFolder
from data.jobs.runs import RunFolder
from data.json_files import parse_json, read_json_lines
from data.matching import files as matching_files
from data.matching.captions import caption_candidates
from data.prompts.flips import FLIP_KINDS, flip
from data.prompts.prompt_files import format_prompts, read_prompts
from data.prompts.question_generation import matching_choice, parse_questions, split_choices
from data.prompts.questions import QuestionedPrompt, format_questions, questions_from_spec
from data.ratings.name_matching import KnownItem, choose_spellings, match_rows
from data.ratings.rating_tables import RatingColumns, looks_wide, other_columns, read_rating_table
from data.records import Prompt
from data.spec import Spec, parse_spec
from data.store.core.connections import connect
from data.store.rating_columns import FileRatings
from data.studies.geneval import read_annotations, read_metadata
from data.tables import read_cells
from scorers import registry as scorer_registry
from scorers.geneval import results as geneval_verdicts
from scorers.geneval import rules as geneval_rules
from scorers.questions.rules import TifaTally, score_text
from scorers.visor import rules
from tests.fuzz import seeds
from tests.fuzz.oracle import check_message
from ui.web.auth import accounts

if TYPE_CHECKING:
    from scorers.models.language_endpoint import Endpoint

_PROMPT: Final = Prompt("mine/x", "mine", "a cat")


def prompts_of(name: str, folder: Path) -> None:
    prompts = read_prompts(folder / name, "mine")
    for prompt in prompts:
        spec_of(prompt.text, prompt.spec)
    again = folder / f"again{Path(name).suffix if name.endswith('.jsonl') else '.jsonl'}"
    again.write_text(format_prompts(prompts), encoding="utf-8")
    if [(prompt.prompt_id, prompt.text) for prompt in read_prompts(again, "mine")] != [
        (prompt.prompt_id, prompt.text) for prompt in prompts
    ]:
        raise AssertionError("prompts that were written are read otherwise")


def spec_of(text: str, raw: Mapping[str, Any]) -> Spec:
    """What is made of a spec: questions, flips, captions, questionnaires."""
    spec = parse_spec(raw)
    questions = questions_from_spec(spec)
    for kind in FLIP_KINDS:
        flip(text, raw, kind)
    caption_candidates(text, raw)
    for form in registry.FORMS.values():
        n = 2 if form.item_kind == "pair" else 1
        item = FormItem(text, raw, n, questions, ("g", "h")[:n], images=("i",) * n)
        if form.problem(item) is None:
            check(form.build(item), {})
            form.derive(item, {"count_0": 1, "preference": "left"})
    return spec


def loaded_of(path: Path) -> Any:
    """What somebody else has made of JSON; None where that is nothing."""
    try:
        return parse_json(path, 1, read_text(path))
    except ValueError:
        return None


def content_of(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def single_spec_of(folder: Path) -> None:
    raw = loaded_of(folder / "spec.json")
    if isinstance(raw, dict):
        spec_of("a photo of two dogs left of a red cat", raw)


def answers_of(folder: Path) -> None:
    """Whatever a browser sends as answers is checked first, and judged then."""
    values = loaded_of(folder / "answers.json")
    if not isinstance(values, dict):
        return
    for name, form in registry.FORMS.items():
        n = 2 if form.item_kind == "pair" else 1
        item = FormItem(
            str(seeds.CATS["prompt"]),
            seeds.CATS,
            n,
            questions_from_spec(parse_spec(seeds.CATS)),
            ("g", "h")[:n],
            images=("i",) * n,
        )
        wrong = check(form.build(item), values).errors
        if not wrong:
            form.derive(item, values)
        elif not all(isinstance(text, str) and text for text in wrong.values()):
            raise AssertionError(f"{name}: {wrong}")


def evidence_of(folder: Path) -> None:
    for line in read_json_lines(folder / "evidence.jsonl"):
        if line.wrong is not None:
            check_message(line.wrong)
            continue
        case = read_case(line.value)
        for judge in (geneval_rules.judge, rules.judge):
            json.dumps([str(check) for check in judge(case.spec, case.seen, {}).checks])


def results_of(folder: Path) -> None:
    totals = official_results.Summary()
    for line in read_json_lines(folder / "results.jsonl"):
        if line.wrong is not None:
            check_message(line.wrong)
            continue
        result = official_results.read_result(line.value)
        official_results.parse_image_path(result.filename)
        spec = parse_spec(result.metadata)
        seen = geneval_verdicts.evidence_of(result, spec, "i")
        geneval_verdicts.judge(spec, seen, geneval_verdicts.SETTINGS)
        geneval_verdicts.follows(spec, seen, geneval_verdicts.SETTINGS)
        official_results.format_result(result)
        totals.add(result.tag, result.metadata, result.correct)
    if totals.n:
        totals.text()


def tifa_results_of(name: str, folder: Path) -> None:
    totals = TifaTally()
    for result in official_results.read_results(folder / name):
        for dependent in (False, True):
            if result.answers:
                score = score_text(result, dependent=dependent)
                json.dumps(score.to_json(), allow_nan=False)
        if result.answers:
            totals.add(score)
            json.dumps(totals.summary(), allow_nan=False)


def cells_of(row: type, name: str, folder: Path) -> None:
    path = folder / name
    table = read_cells(path)
    if sorted(table.header) == sorted(columns_of(row)):
        read_rows(table, row)


def exported_of(name: str, folder: Path) -> None:
    cells_of(ExportedRating, name, folder)


def ratings_of(name: str, columns: RatingColumns, folder: Path) -> None:
    """A table of anybody's, given with a column of raters or with a column per rater."""
    json_table = read_rating_table(folder / name)
    scale, table = Scale.parse("ordinal:1-5"), json_table.table
    if json_table.rater is None:
        looks_wide(table, columns, lambda text: is_value(text, scale, "quality", ()))
    # a wide table without columns of raters is refused by the command
    raters = other_columns(table, columns)
    wide = (replace(columns, rater="", value="", raters=raters),) if raters else ()
    for rating_columns in (columns, *wide):
        with closing(connect(None)) as connection:
            ratings = FileRatings(connection, table, rating_columns)
            texts = ratings.texts()
            ratings.leave_out([text for text in texts if is_missing(text.strip(), scale, ())])
            ratings.check()
            rows, names = ratings.items()[0], ratings.raters()
        read, clashes = value_reader(Scale.parse("nominal"), "mood", texts, ("Red", "1"), ("case",))
        for text in texts:
            read(text.strip())
        _, again = choose_spellings(names, ("ann",), ())
        if not all(clash.by and len({*clash.texts, *clash.known}) > 1 for clash in (*clashes, *again)):
            raise AssertionError("a clash of one spelling")
        known = KnownItem("s/1/g/0", "s", True, "/x/i1.png", "0" * 64, "s/1", "a cat", "g", 0)
        matches = match_rows(rows, [known, replace(known, item_id="s/1/h/0", generator="h")])
        if len({row.item for row in rows}) != sum(map(len, (matches.items, matches.unmatched, matches.ambiguous))):
            raise AssertionError("an item is lost, or counts twice")


def study_of(folder: Path) -> None:
    prompts = read_metadata(folder / "metadata.jsonl")
    study = read_annotations(folder / "annotations.csv", "sd", prompts)
    form, by_id = registry.get("geneval"), {prompt.prompt_id: prompt for prompt in prompts}
    for row in study.rows:
        prompt = by_id[row.image.prompt_id]
        form.derive(FormItem(prompt.text, prompt.spec), row.answers)


def locations_of(layout: folders.Layout, folder: Path) -> None:
    skipped: list[folders.Skipped] = []
    images = files.find_images(folder, layout, "g")
    for one in (*skipped, *images.skipped):
        check_message(one.reason)


def picture_of(name: str, folder: Path) -> None:
    path = folder / name
    image_file = files.read_image_file(path)
    upright = files.open_image(path, image_file.sha256)
    if upright.size != (image_file.width, image_file.height):
        raise AssertionError(f"{upright.size} shown, {(image_file.width, image_file.height)} told")
    files.thumbnail(path, 5)


def vectors_of(folder: Path) -> None:
    content = content_of(folder / "vectors.bin")
    runs.unpack_embeddings([content[start : start + 8] for start in range(0, len(content), 8)])


def run_of(folder: Path) -> None:
    run_folder = RunFolder(folder)
    run_folder.job()
    work = run_folder.work()
    run_folder.progress()
    for number in run_folder.parts():
        if run_folder.is_of(number, work[:2]):
            run_folder.failures(number)
        for seen in run_folder.read_part(number):
            judged = scorer_registry.get("geneval").judge(Spec(), seen, {})
            json.dumps(judged.reason)


def job_of(folder: Path) -> None:
    generation_folder = GenerationFolder(folder)
    generation_folder.job()
    generation_folder.progress()
    generation_folder.opened()


def map_of(folder: Path) -> None:
    MapFolder(folder).last_progress()
    MapFolder(folder).read()


def journal_of(folder: Path) -> None:
    path = folder / "j.jsonl"
    n = len(read_journal(path))
    with open_journal(path) as append:
        append({"a": 1})
    if len(read_journal(path)) != n + 1:
        raise AssertionError("what was added is not read")


def custom_of(folder: Path) -> None:
    form = custom.read(read_text(folder / "q.yaml"), "q.yaml")
    n = 1 if form.item_kind == "image" else 2
    item = FormItem("a red cup", n_images=n, generators=("g", "h")[:n], images=("i",) * n)
    form.build(item)
    form.derive(item, {})
    for meaning in form.meanings:
        Scale.parse(meaning.scale)


def campaign_of(folder: Path) -> None:
    spec.campaign_spec(planning.from_yaml(read_text(folder / "c.yaml"), "c.yaml"))


def known_of(name: str, folder: Path) -> None:
    known_answers.read_known_answers(read_text(folder / name))


def accounts_of(folder: Path) -> None:
    try:
        accounts.read(folder / "users.toml")
    except accounts.AccountsError as error:
        # an example on lines of its own may follow
        check_message(str(error).replace(f"\n{accounts.EXAMPLE}", ""))


def server_of(folder: Path) -> None:
    open_app = forwarding.running(folder)
    if open_app is not None:
        json.dumps(f"{open_app.host}:{open_app.port:d}/{open_app.token} {open_app.pid:d}")


def written_of(folder: Path) -> None:
    text = content_of(folder / "text.txt").decode("utf-8", "surrogateescape")
    for caption in (None, "a cat on a mat"):
        parsed = parse_questions(text, caption)
        format_questions([QuestionedPrompt(_PROMPT, parsed.kept)])
    for line in text.split("\n")[:20]:
        matching_choice(line, split_choices(line, line))


def completion_of(folder: Path) -> None:
    import httpx

    from scorers.models import language_endpoint
    from scorers.models.language_endpoint import Completion

    content = content_of(folder / "answer.json")
    result = language_endpoint._read(httpx.Response(200, content=content))
    for status in (200, 400, 429):
        endpoint_of()._status_line(httpx.Response(status, content=content))
    if isinstance(result, Completion):
        parse_questions(result.text)


@cache
def endpoint_of() -> Endpoint:
    from scorers.models.language_endpoint import Endpoint

    return Endpoint("http://127.0.0.1:1/v1", "m", "key")


def own_of(folder: Path) -> None:
    result = scorer_registry._load_file(folder / "mine.py")
    if isinstance(result, str):
        check_message(result, 1000)


def yaml_of(folder: Path) -> None:
    json.dumps(read_yaml(read_text(folder / "y.yaml")))


def journal_of_matching_of(name: str, folder: Path) -> None:
    for wrong in matching_files.read_matching(folder / name).wrong:
        check_message(wrong)
