"""``judge``: what a scorer's rules make of evidence in a file. No model, no project; lines come and go one at a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar

from concord.common import wording
from concord.common.context import CommandError, UsageError, report_errors, writing
from concord.suite_metrics.visor_summary import VisorTally
from data.files import located, printable, whole_file
from data.formats import official_results as results
from data.formats.evidence import EvidenceCase, read_case
from data.json_files import read_json_lines
from data.spec import parse_spec
from scorers.base import Verdict
from scorers.geneval import results as geneval_results
from scorers.geneval import rules as geneval_rules
from scorers.questions import rules as tifa_scores
from scorers.visor import rules
from scorers.visor.results import DetectionFile, MixedGenerators

Write = Callable[[str], object]
R = TypeVar("R")


def judge_file(rules_name: str, parameters: Mapping[str, Any]) -> int:
    """Judge by the rules of ``geneval``, ``visor`` or ``tifa``; returns the exit status."""
    judges: dict[str, Callable[..., None]] = {"geneval": judge_geneval, "visor": judge_visor, "tifa": judge_tifa}
    report = _LineReport(sys.stderr)
    return report_errors(report.say, f"judge {rules_name}", lambda: judges[rules_name](report, sys.stdout, **parameters))


@dataclass(slots=True)
class _LineReport:
    """What was said of lines that could not be judged, and how many lines there were."""

    err: TextIO
    lines: int = 0
    wrong: int = 0
    judged: int = 0

    def say(self, text: str) -> None:
        print(text, file=self.err, flush=True)

    def bad(self, path: Path, line: int | None, why: str) -> None:
        self.wrong += 1
        self.say(located(path, line, printable(why)))

    def check_any(self, evidence: str) -> None:
        """Before a file gets its name.

        Raises:
            CommandError: there is nothing to put into it.
        """
        if not self.judged:
            problem = f"none of {wording.count(self.lines, 'line')} could be judged" if self.lines else "holds no evidence"
            raise CommandError(f"{evidence}: {problem}; nothing was written")

    def check_all(self) -> None:
        """In the end.

        Raises:
            CommandError: the job is not wholly done.
        """
        if self.wrong:
            raise CommandError(f"{self.wrong:,} of {wording.count(self.lines, 'line')} could not be judged (see above)")


def judge_geneval(
    report: _LineReport, out: TextIO, evidence: str, output: str | None, settings: Mapping[str, Any], form: str, summary: bool
) -> None:
    """By GenEval's rules: verdicts, or lines of its ``results.jsonl``; ``summary`` prints what its script prints."""
    rules = _rules(geneval_rules.GenEvalRules.of, settings)
    totals = results.Summary()
    with _target(output, out, quiet=summary) as write:
        for number, case in _cases(report, Path(evidence), _geneval_case):
            verdict = geneval_rules.judge(case.spec, case.seen, settings)
            if verdict.correct is None:
                # why a case has no verdict
                undecided = (
                    "'spec' asks for nothing; an object with 'include' or 'exclude' expected"
                    if not verdict.judgements
                    else "; ".join(check.text for check in verdict.checks if check.holds is None) or "cannot be decided"
                )
                report.bad(Path(evidence), number, f"{case.id}: {undecided}")
            else:
                report.judged += 1
                if summary:
                    totals.add(case.spec.tag or "", case.asked, verdict.correct)
            if form == "verdicts" and verdict.judgements:
                write(json.dumps(_verdict_json(case, verdict)) + "\n")
            elif form == "results" and verdict.correct is not None:
                text = case.asked.get("prompt")
                result = results.GenEvalResult(
                    filename=str(case.id),
                    tag=case.spec.tag or "",
                    prompt=text if isinstance(text, str) else "",
                    correct=bool(verdict.correct),
                    reason=verdict.reason,
                    metadata=case.asked,
                    details=geneval_results.details_of(case.spec, case.seen.detections, rules),
                )
                write(results.format_result(result))
        report.check_any(evidence)
    if summary:
        out.write(totals.text())
    report.check_all()


def judge_visor(
    report: _LineReport,
    out: TextIO,
    evidence: str,
    output: str | None,
    settings: Mapping[str, Any],
    form: str,
    summary: bool,
    generator: str | None,
) -> None:
    """By VISOR's rules: verdicts, or its detection file; ``summary`` prints the scores of all images as JSON."""
    rules_value = _rules(rules.VisorRules.of, settings)
    tally = VisorTally()
    with _target(output, out, quiet=summary) as write:
        file = DetectionFile(write, rules_value) if form == "detections" else None
        for number, case in _visor_cases(report, Path(evidence), generator, settings):
            verdict = rules.judge(case.spec, case.seen, settings)
            try:
                tally.add(case.generator or "", case.prompt_id or "", case.spec, verdict)
                if file is not None:
                    file.add(case)
            except MixedGenerators as error:
                raise UsageError(str(error)) from error
            except ValueError as error:
                report.bad(Path(evidence), number, f"{case.id}: {error}")
                continue
            report.judged += 1
            if file is None:
                write(
                    json.dumps({**_verdict_json(case, verdict), "prompt_id": case.prompt_id, "generator": case.generator})
                    + "\n"
                )
        report.check_any(evidence)
        if file is not None:
            file.close()
    if summary:
        out.write(json.dumps({"threshold": rules_value.threshold, **tally.summary()}, indent=2) + "\n")
    report.check_all()


def judge_tifa(report: _LineReport, out: TextIO, evidence: str, output: str | None, rule: str, summary: bool) -> None:
    """By TIFA's rules, or DSG's: the score of each text's image; ``summary`` prints what TIFA's code prints, as JSON."""
    path, totals, astray = Path(evidence), tifa_scores.TifaTally(), 0
    with _target(output, out, quiet=summary) as write:
        for result in results.read_results(path):
            report.lines += 1
            for wrong in result.wrong:
                report.bad(path, result.number, wrong)
            if not result.answers:
                if not result.wrong:
                    report.bad(path, result.number, f"{result.id}: holds no answers")
                continue
            astray += sum(answer.scored not in (None, answer.chosen == answer.question.answer) for answer in result.answers)
            try:
                scored = tifa_scores.score_text(result, dependent=rule == "dsg")
                totals.add(scored)
            except ValueError as error:
                report.bad(path, result.number, str(error))
                continue
            report.judged += 1
            write(json.dumps(scored.to_json()) + "\n")
        report.check_any(evidence)
    if astray:
        report.say(
            f"{path}: of {wording.count(astray, 'answer')} the file's own 'scores' differs from what it says; these count"
        )
    if summary:
        out.write(json.dumps(totals.summary(), indent=2, allow_nan=False) + "\n")
    report.check_all()


def _cases(
    report: _LineReport, path: Path, read: Callable[[Mapping[str, Any]], EvidenceCase]
) -> Iterator[tuple[int, EvidenceCase]]:
    """The lines' cases with their numbers; what cannot be read is reported."""
    for line in read_json_lines(path):
        report.lines += 1
        try:
            if line.wrong is not None:
                raise ValueError(line.wrong)
            yield line.number, read(line.value)
        except ValueError as error:
            report.bad(path, line.number, str(error))


def _geneval_case(value: Mapping[str, Any]) -> EvidenceCase:
    """The evidence in a line, which may be one of ``results.jsonl``."""
    if not results.is_result(value):
        return read_case(value)
    result = results.read_result(value)
    if result.details is None:
        raise ValueError("the line has no 'details', so it cannot be judged")
    spec = parse_spec(result.metadata)
    return EvidenceCase(result.filename, result.metadata, spec, geneval_results.evidence_of(result, spec, result.filename))


def _visor_case(value: Mapping[str, Any]) -> EvidenceCase:
    case = read_case(value)
    for key, name in (("prompt_id", case.prompt_id), ("generator", case.generator)):
        if name is None:
            raise ValueError(f"{key!r} is missing")
    return case


def _visor_cases(
    report: _LineReport, path: Path, generator: str | None, settings: Mapping[str, Any]
) -> Iterator[tuple[int, EvidenceCase]]:
    if results.is_detections(path):
        name = generator or results.generator_of(path)
        if name is None:
            raise UsageError(f"{path}: VISOR's detections do not name the generator of the images; add --generator NAME")
        if "threshold" in settings:
            report.say(f"{path}: these detections have no confidences, so no threshold changes them")
        yield from _of_detections(report, path, name)
        return
    for number, case in _cases(report, path, _visor_case):
        if generator is None or case.generator == generator:
            yield number, case


def _of_detections(report: _LineReport, path: Path, generator: str) -> Iterator[tuple[int, EvidenceCase]]:
    others = 0
    for number, key, value in results.read_entries(path):
        report.lines += 1
        try:
            entry = results.read_entry(key, value, generator)
        except ValueError as error:
            report.bad(path, number, str(error))
            continue
        relations = rules.judge(entry.case.spec, entry.case.seen, {}).relations
        others += entry.sra is not None and bool(relations) and entry.sra != bool(relations[0].holds)
        yield number, entry.case
    if others:
        report.say(
            f"{path}: of {wording.count(others, 'image')} the file's own 'sra' differs from what its centroids say; these count"
        )


def _verdict_json(case: EvidenceCase, verdict: Verdict) -> dict[str, Any]:
    relations = [asdict(relation) for relation in verdict.relations]
    return {"id": case.id, "correct": verdict.correct, "reason": verdict.reason, "found": verdict.found, "relations": relations}


def _rules(read: Callable[[Mapping[str, Any]], R], settings: Mapping[str, Any]) -> R:
    """The rules by these settings, which are options of the command."""
    try:
        return read(settings)
    except ValueError as error:
        name, _, problem = str(error).partition(" ")
        raise UsageError(f"--{name.replace('_', '-')} {problem}") from error


@contextmanager
def _target(output: str | None, out: TextIO, *, quiet: bool) -> Iterator[Write]:
    """Where lines go: a file, whole or not at all; else the terminal, unless that is for something else (``quiet``)."""
    if output is None:
        yield (lambda _: None) if quiet else out.write
        return
    path = Path(output).expanduser()
    with writing(output):
        if path.exists() and not path.is_file() and not path.is_dir():
            # a device or a pipe takes what it gets
            with path.open("w", encoding="utf-8") as device:
                yield device.write
            return
        with whole_file(path) as file:
            yield lambda text: file.write(text.encode())
