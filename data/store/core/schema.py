"""Schema: the numbered migrations (``data/store/migrations``), and what each table and column means and whether it may leave.

The snapshot and the data dictionary are made from the descriptions. Every table is either in ``SCHEMA`` or in ``LEFT_OUT``; a
test tells if one is in neither, or a column in none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from data.campaigns.settings import OUTCOMES
from data.store.core import rows
from data.store.core.connections import Connection

MIGRATIONS = Path(__file__).parent.parent / "migrations"


class SchemaTooNew(RuntimeError):
    """The project was written by a later Concord."""


def migration_files() -> dict[int, Path]:
    """The SQL file of each version."""
    return {int(file.name.split("_")[0]): file for file in sorted(MIGRATIONS.glob("[0-9]*.sql"))}


def migrate(connection: Connection) -> int:
    """Bring a database to the newest schema, each step in its own transaction; returns the version.

    Raises:
        SchemaTooNew: the database is ahead of this program.
    """
    known = migration_files()
    newest = max(known)
    current = schema_version(connection)
    if current > newest:
        raise SchemaTooNew(f"the project has schema {current}, this version supports {newest}: update Concord to open it")
    for version in sorted(number for number in known if number > current):
        connection.begin()
        try:
            connection.execute(known[version].read_text(encoding="utf-8"))
            connection.execute("insert or replace into meta values ('schema_version', ?)", [str(version)])
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
    return newest


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """What a column holds.

    Attributes:
        kept: whether it is in a snapshot; ``why`` says why not.
        person: whether it names people (or scorers, which keep their names).
        select: an expression of ours that takes its place in a snapshot.
    """

    text: str
    kept: bool = True
    why: str = ""
    person: bool = False
    select: str | None = None


@dataclass(frozen=True, slots=True)
class TableDescription:
    """What a table holds, and its columns by name."""

    text: str
    columns: Mapping[str, ColumnDescription]


def describe_table(text: str, /, **columns: str | ColumnDescription) -> TableDescription:
    """A table; of a column that is only described its text is enough."""
    described = {name: ColumnDescription(about) if isinstance(about, str) else about for name, about in columns.items()}
    return TableDescription(text, described)


def _left_out(text: str, why: str) -> ColumnDescription:
    return ColumnDescription(text, kept=False, why=why)


_IMPORT: Final = "the import that brought it; null for what was made here"
_ITEM, _SEQ = "the item", "the place in the order of all statements, people's and scorers'"
_PERSON: Final = ColumnDescription("who", person=True)
_CODES: Final = json.dumps(dict.fromkeys(("completion_url", *(f"{outcome}_code" for outcome in OUTCOMES))))

SCHEMA: Final[Mapping[str, TableDescription]] = {
    "imports": describe_table(
        "what was imported, and whether it was undone",
        import_id="the number of the import",
        kind="what was imported, such as `study geneval`",
        name="distinguishes imports of one kind",
        sha256="of the source: the same source twice is one import",
        counts="how many rows of each table were new (JSON)",
        created="when it was made",
        undone="when it was undone; null if it was not",
    ),
    "prompts": describe_table(
        "texts given to generators",
        prompt_id="`suite/00042`",
        suite="the suite of the prompt",
        task="the suite's category of prompt",
        text="the text of the prompt",
        spec="what must be in the image (JSON)",
        import_id="the import that added it",
    ),
    "images": describe_table(
        "places for images (prompt, generator, index), with or without a file",
        image_id="`prompt/generator/index`",
        prompt_id="its prompt",
        generator="its model",
        idx="its index among the images of prompt and model",
        path=_left_out("where the file is", "it names folders of the machine"),
        sha256="of the file's bytes; null where there is no file",
        width="pixels",
        height="pixels",
        import_id="the import that added the row",
        file_import_id="the import that added the file",
        blanked="why the generator's output is blank, such as a safety filter",
    ),
    "items": describe_table(
        "what is shown and judged: an image, a pair, or a group",
        item_id="a single image's item has the image's id",
        kind="image, pair or group",
        suite="the suite of its prompt",
        prompt_id="its prompt",
        task="its task",
        generator="its model; null for pairs and groups",
        public_id=_left_out("the name that annotators' browsers see", "made with the project's secret"),
        import_id=_IMPORT,
    ),
    "item_members": describe_table(
        "the images that an item shows",
        item_id=_ITEM,
        image_id="the image",
        position="its place in the item, from 0",
        import_id=_IMPORT,
    ),
    "raters": describe_table(
        "whoever judges: people, scorers",
        rater_id=ColumnDescription("the name", person=True),
        kind="human, scorer or consensus",
        identity="person, or slot where a study does not identify people",
        version="version of a scorer",
        settings="settings of a scorer (JSON)",
        simulated="whether it is a simulated person",
        import_id=_IMPORT,
    ),
    "scales": describe_table(
        "the scale of each aspect in a suite",
        suite="the suite",
        aspect="what is judged",
        scale="nominal, with or without its labels, ordinal:LOW-HIGH[:STEP] or its levels, interval",
        import_id=_IMPORT,
    ),
    "campaigns": describe_table(
        "items × questionnaire × how many people each",
        campaign_id="the id",
        overlap="number of people who should answer each item",
        created="when it was made",
        title="the title that people see",
        questionnaire="the questionnaire",
        questionnaire_version="version of the questionnaire when the campaign was made",
        definition="YAML of a custom questionnaire",
        seed="random seed of sampling and order",
        state="draft, running, stopped or archived",
        settings=ColumnDescription(
            "how it is worked on (JSON), without the codes and the address that people get at the end",
            select=f"json_merge_patch(settings, '{_CODES}')",
        ),
        stratum="whether statistics use only the items that were drawn with the same chance",
        synced="the imports whose items the default campaign has",
        pool="what items were drawn from (JSON): suite, task, generator, number of images",
        import_id=_IMPORT,
    ),
    "campaign_items": describe_table(
        "the items of campaigns",
        campaign_id="the campaign",
        item_id="the item",
        role="ordinary, gold, attention or training",
        sampling="random, weighted (drawn with unequal chances), or selected by hand",
        expected=_left_out("the right answers of checks", "whoever has them passes the checks"),
        position="the place in the campaign's list",
        shuffle="a seeded random number for ordering",
        people="number of people with a valid, blind answer",
        wanted="number of people wanted",
        aside="whether it was reported as broken, or taken out",
        draw_probability="of weighted items: the chance with which each was drawn",
        aside_by_reports="whether people's reports set it aside, and no manager",
    ),
    "annotations": describe_table(
        "people's whole answers; a revision is a new row",
        annotation_id="a UUID",
        campaign_id="its campaign; null: none",
        item_id="its item",
        rater_id=_PERSON,
        questionnaire="the questionnaire",
        answers="by question id (JSON)",
        raw=ColumnDescription(
            "what the screen showed: the order of images, the version of the prompt's questions (JSON). A source's own"
            " row stays here: it may name people",
            select="nullif(json_merge_patch('{}', json_object('order', raw -> 'order', 'questions', raw -> 'questions')),"
            " '{}'::json)",
        ),
        started="when the item was first on the screen",
        submitted="when the answer was sent",
        active_seconds="active time from the visible image on, without pauses; at most the time since it was offered",
        saw_evidence="whether scorers' or others' answers had been shown",
        status="valid, surplus (the item had enough answers), gold or training",
        revises="the answer that it replaces",
        root_id="the first answer of its chain of revisions",
        seq="position in the order of all answers; a revision has the position of the first answer",
        import_id="the import that added it; null for answers given here",
        passed="for checks: whether the first answer was correct",
        selected="not drawn with the same chance as others, in a campaign that has drawn items",
        status_before="the status before the person's answers were made not to count",
        surplus_reason="why it does not count; null: it does, or it came before there were reasons",
    ),
    "evidence": describe_table(
        "what scorers saw",
        evidence_id="a UUID",
        item_id="its item",
        rater_id="its scorer",
        payload="the evidence (JSON)",
        seq=_SEQ,
        import_id=_IMPORT,
        run_id="the run that made it",
        failed="why there is no evidence",
    ),
    "judgements": describe_table(
        "what follows from answers and evidence by the rules: one rater's value for one aspect and target of one item",
        item_id=_ITEM,
        rater_id=_PERSON,
        aspect="what is judged",
        target="the object, relation or question",
        label="the value as a category",
        value="the value as a number",
        reason="why there is no value",
        source_id="the annotation's or the evidence's id",
        rule_version="the version of the rule",
        seq=_SEQ,
    ),
    "runs": describe_table(
        "runs of scorers and of generators",
        run_id="the run",
        kind="`score` or `generate`",
        rater_id="the scorer; for `generate` the generator",
        scorer="name of the scorer",
        profile="the settings profile",
        version="of the scorer",
        settings="all settings (JSON)",
        folder=_left_out("below the project's", "the files stay here"),
        state="queued, running, paused, cancelled, failed, lost or done",
        error=_left_out("why it failed", "it may name folders of the machine"),
        n_items="number of items",
        created="when",
        import_id=_IMPORT,
        device="the requested device",
        engine="local or ray",
        place=_left_out("the place in the queue", "what waits here waits for this machine"),
    ),
    "detections": describe_table(
        "boxes that detectors found",
        run_id="its run",
        image_id="its image",
        rank="the detector's own order",
        label="the class",
        score="the confidence, 0 to 1",
        x0="left, pixels",
        y0="top, pixels",
        x1="right, pixels",
        y1="bottom, pixels",
        mask_ref=_left_out("where the mask is", "masks stay in the run's files"),
        color_probs="the probabilities of colours",
    ),
    "cooccurrence_files": describe_table(
        "annotation files of which it was counted how often classes are together",
        import_id="the import",
        name="name of the file",
        images="number of annotated images",
    ),
    "cooccurrence": describe_table(
        "how often two classes are together in an image",
        import_id="its file",
        a="a class",
        b="another class; the same class: images with it",
        images="number of images",
    ),
    "questions": describe_table(
        "what is asked about a prompt, in versions",
        prompt_id="the prompt",
        version="the highest version is current",
        position="position among the prompt's questions",
        question_id="id of the question in all versions",
        text="the words",
        choices="the possible answers (JSON)",
        answer="the correct answer",
        element_type="type of the element that it asks about",
        element="the element",
        import_id="the import that added it",
        parents="questions that must hold for this one to make sense (JSON)",
    ),
    "reports": describe_table(
        "items that people called broken",
        campaign_id="the campaign",
        item_id="the item",
        rater_id=_PERSON,
        reason="the reason given",
        moment="when",
        dismissed="when a manager put the item back",
        counted="whether it can set the item aside",
    ),
    "adjudications": describe_table(
        "verdicts on disagreements",
        adjudication_id="a UUID",
        item_id="the item",
        aspect="what is judged",
        target="its target",
        campaign_id="its campaign",
        wrong="who was wrong: scorer, person, prompt or guideline",
        rater_id=ColumnDescription("which scorer or person", person=True),
        verdict="the correct value",
        note="the reason in words",
        made_by=ColumnDescription("who decided", person=True),
        moment="when",
        seq=_SEQ,
    ),
    "taggings": describe_table(
        "tags put on items and taken off; the last word about an item and a tag counts",
        tagging_id="a UUID of the action, which may cover many items",
        item_id="the item",
        tag="the tag",
        tagged="on or off",
        made_by=ColumnDescription("who did it", person=True),
        moment="when",
        seq="the order of such acts",
    ),
    "notes": describe_table(
        "what researchers write beside an item; a changed note is a new row, an empty text takes it back",
        note_id="a UUID",
        root_id="the first note of a chain of revisions",
        item_id="the item",
        text="the words",
        made_by=ColumnDescription("who wrote it", person=True),
        moment="when",
        seq="the order of notes",
    ),
    "recruitments": describe_table(
        "how a campaign's people were recruited, instructed and paid; the row with the highest seq of a campaign counts",
        campaign_id="the campaign",
        fields="values by field, only those given (JSON)",
        made_by=ColumnDescription("who said it", person=True),
        moment="when",
        seq="the order of such rows",
    ),
    "generations": describe_table(
        "how generators were asked for the images that were made here",
        generator="the model",
        settings="all settings (JSON)",
        created="when",
    ),
}
"""What a snapshot holds."""

LEFT_OUT: Final[Mapping[str, str]] = {
    "meta": "the project's secret, which signs cookies; the snapshot says the schema's version in a table of its own",
    "claims": "who has what before them at this moment",
    "skips": "who skipped what at this moment",
    "offers": "who was given what",
    "settlements": "what people were paid, and who decided it",
    "ledger": "what erased people earned",
    "drafts": "answers that nobody has sent",
    "run_parts": "which files of a run were read; the files stay here",
    "uncovered": "who looked at what; `annotations.saw_evidence` says what counts of it",
    "revocations": "who was taken out of a campaign, and by whom",
    "campaign_requests": "the values of the form that a draft was made from",
    "changes": "who changed which setting of a campaign, and when",
    "invitations": "links that let people in",
    "arrivals": "who came by which link, and from where",
    "refused_arrivals": "who came with somebody else's id, and from where",
    "departures": "how people left a campaign, and the code that they were shown",
    "identities": "re-entry codes of people from crowd platforms, as keyed hashes",
    "browsers": "which browsers are whose, as keyed hashes",
    "consents": "who agreed to what",
    "copies": "where copies of the project were written: it names folders of the machine",
    "erased": "people who asked to be forgotten",
    "ended_sessions": "which cookies are good no more, as keyed hashes",
    "browse": "what Images filters by, a row an item: made from other tables",
    "browse_raters": "the places of scorers in such rows",
    "prompt_parts": "what prompts ask for, part by part: made from their specs",
    "stale": "items whose row of `browse` is to be made anew",
    "saved_views": "addresses of Images under a name: they lead into this project",
}
"""Tables that do not leave the project, and why."""


def table_names(cursor: Connection) -> list[str]:
    """The names of all tables."""
    return rows.column(cursor, "select table_name from duckdb_tables() where not internal and not temporary order by 1")


def schema_version(cursor: Connection) -> int:
    """The version of the schema; 0: no project's database, which inside a transaction breaks that off."""
    try:
        row = cursor.execute("select value from meta where key = 'schema_version'").fetchone()
    # that the table is there is not looked up first: DuckDB reads something of every table to list them
    except duckdb.CatalogException:
        return 0
    return int(row[0]) if row else 0


def secret_of(cursor: Connection) -> str:
    """A project's own key; empty if it has none yet."""
    record = rows.first(cursor, "select value from meta where key = 'secret'") if "meta" in table_names(cursor) else None
    return str(record["value"]) if record else ""
