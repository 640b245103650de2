"""The docs: whatever the app has stands in them, made parts are up to date, links lead somewhere, examples are understood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agreement.catalogue import STATISTICS as CATALOGUE
from data.aspects import SCALES
from docs.making import ROOT, __main__, code, commands, names_in, pages, put, reference
from docs.making.commands import EXAMPLES
from scorers import registry

CHAPTERS = tuple(sorted((ROOT / "docs" / "statistics").glob("*.md")))
GUIDES = tuple(sorted((ROOT / "docs").glob("*.md")))
DOCS = (ROOT / "README.md", *GUIDES, *CHAPTERS)
BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
LINE = re.compile(r"uv run (?:--no-group \w+ )*app\.py(?P<words>(?:\\\n|[^\n])*)")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def examples() -> Iterator[tuple[str, str]]:
    """Every command in a block of code, by the page; continued lines are one."""
    for path in DOCS:
        for block in BLOCK.findall(text_of(path)):
            for match in LINE.finditer(block):
                yield path.name, match["words"].replace("\\\n", " ").strip()


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and GitLab make them."""
    results: set[str] = set()
    for line in re.findall(r"^#{1,6} (.+)$", BLOCK.sub("", text), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-")
        while name in results:
            name += "-1"
        results.add(name)
    return results


@pytest.mark.parametrize("name", __main__.PARTS)
def test_made_parts_are_up_to_date(name: str) -> None:
    assert __main__.page(name) == text_of(ROOT / name), f"{name} is stale: run `python -m docs.making`"
    assert set(names_in(text_of(ROOT / name))) == set(__main__.PARTS[name])


def test_a_made_part_is_replaced_and_nothing_else() -> None:
    page = "a\n<!-- made: x -->\nold\n<!-- end -->\nb\n<!-- made: y -->\n<!-- end -->\n"
    assert put(page, "x", "new \\1") == page.replace("old", "\nnew \\1\n")
    for wrong in (page.replace("made: x", "made: z"), page + page):
        with pytest.raises(ValueError, match="once"):
            put(wrong, "x", "new")


def test_every_page_with_made_parts_is_known() -> None:
    pages = {path.relative_to(ROOT).as_posix() for path in DOCS[1:] if names_in(text_of(path))}
    assert pages == set(__main__.PARTS)


def test_every_command_and_option_is_documented() -> None:
    leaves = dict(commands.leaves())
    assert len(leaves) > 40
    assert set(leaves) - set(EXAMPLES) == set()
    written = text_of(ROOT / "docs" / "commands.md")
    for words, command in leaves.items():
        part = written.partition(f"\n## {words}\n")[2].partition("\n## ")[0]
        assert part, words
        assert command.help, words
        for param in command.params:
            if param.name != "help":
                assert param.help, f"{words}: {param.name} says nothing of itself"
                assert all(code(name) in part for name in param.opts if name.startswith("-")), (words, param.name)


@pytest.mark.parametrize(("page", "line"), sorted(set(examples())))
def test_documented_commands_are_understood(page: str, line: str) -> None:  # noqa: ARG001
    commands.parsed(line)


@pytest.mark.parametrize("line", ["score", "agreement --nope", "nothing", "export report --format docx -o x"])
def test_invalid_commands_are_refused(line: str) -> None:
    with pytest.raises(Exception, match=r"\w"):
        commands.parsed(line)


def test_examples_end_where_the_shell_begins() -> None:
    assert commands.words_of("a 'b > c' --d \"e # f\" > g.json") == ["a", "b > c", "--d", "e # f"]
    assert commands.words_of("a b && c   # it's") == ["a", "b"]
    assert len({page for page, _ in examples()}) > 5


def test_every_setting_is_documented() -> None:
    assert reference.undocumented() == []
    written = text_of(ROOT / "docs" / "settings.md")
    assert "| `pass_mark` |" in written
    assert "| `counting_threshold` (judging) |" in written


def test_every_profile_has_a_line_that_says_whose_it_is() -> None:
    rows = [line.split("|")[1:3] for line in text_of(ROOT / "docs" / "models.md").splitlines() if line.startswith("| `")]
    named = {(scorer, profile) for one, two in rows for scorer in quoted(one) for profile in quoted(two)}
    for name in registry.NAMES:
        scorer = registry.get(name)
        assert {profile for of, profile in named if of == name} == set(scorer.profiles)
        assert not set(scorer.renamed) & set(scorer.profiles)
        assert set(scorer.renamed.values()) <= set(scorer.profiles)


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_page_and_parameter_is_documented() -> None:
    assert pages.undocumented() == []
    assert {"suite", "about", "picture"} <= pages.accepted("images")
    assert {"campaign", "case"} <= pages.accepted("campaigns")
    assert {"results", "images", "runs", "explore"} <= set(pages.pages())
    assert (["j", "n", "ArrowRight"], "next image of the selection") in pages.keys_in("assets/js/drawer/keys.js")
    # and nothing is that there is not
    for name in set(pages.present()) - {"annotate", "preferences", "matching"}:
        assert set(pages.documented(name)) - pages.accepted(name) == set(), name


def test_every_table_and_column_is_documented() -> None:
    results = reference.schema()
    assert {"item_id", "aspect", "seq"} <= set(results["judgements"])
    assert reference.undocumented_tables() == []
    written = text_of(ROOT / "docs" / "data.md")
    for name, columns in results.items():
        assert f"### {name}\n" in written or f"| `{name}` |" in written, name
        assert all(f"`{column}`" in written for column in columns), name
    # every aspect that there is has its line
    assert all(f"`{aspect}`" in written.partition("## Tables")[0] for aspect in SCALES)


def test_every_statistic_is_documented() -> None:
    assert reference.undocumented_statistics() == []
    written = text_of(ROOT / "docs" / "statistics" / "formulas.md")
    for name in CATALOGUE:
        assert f"\n`{name}`: " in written, name
        assert set(reference.UNDEFINED) == set(CATALOGUE)


def test_every_route_is_documented() -> None:
    listed = dict(reference.listed())
    assert {"GET /api/next", "POST /command", "GET /img/{sha256}", "GET /api/studio/items"} <= set(listed)
    assert [name for name, route in listed.items() if not reference.description_of(name, route)] == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = text_of(path)
    targets = [entry or other for entry, other in LINK.findall(prose(text))]
    broken = []
    for target in targets:
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        inside = file.is_relative_to(ROOT) and file.exists()
        if not inside or (anchor and file.suffix == ".md" and anchor not in anchors(text_of(file))):
            broken.append(target)
    assert broken == []


def test_the_link_check_reads_all_links() -> None:
    assert LINK.findall(prose("a [b](c.md#d) `[x](y)` ![e](f.png)")) == [("c.md#d", ""), ("", "f.png")]
    assert anchors("# What's `x`, and why?\n```\n# no\n```\n## A b\n") == {"whats-x-and-why", "a-b"}


def test_every_guide_is_linked_from_the_readme() -> None:
    linked = {entry for entry, _ in LINK.findall(prose(text_of(ROOT / "README.md")))}
    assert {f"docs/{path.name}" for path in GUIDES} <= linked


def test_every_chapter_of_statistics_is_linked_and_short() -> None:
    assert len(CHAPTERS) > 3
    linked = {entry for entry, _ in LINK.findall(prose(text_of(ROOT / "docs" / "statistics.md")))}
    assert {f"statistics/{path.name}" for path in CHAPTERS} <= linked
    lengths = {path.name: text_of(path).count("\n") for path in (ROOT / "docs" / "statistics.md", *CHAPTERS)}
    assert {name: n for name, n in lengths.items() if n > 300} == {}


def test_the_test_commands_are_those_of_ci() -> None:
    lines = text_of(ROOT / ".ci" / "run").splitlines()
    commands = [line for line in lines if line.startswith("uv run") and " pytest " in line]
    assert commands == ['uv run --group ray pytest -n 2 -m "slow or not slow"']
    assert all(command in text_of(ROOT / "README.md") for command in commands)


def test_pictures_are_small() -> None:
    paths = [path for path in (ROOT / "docs" / "screenshots").iterdir() if path.suffix in (".png", ".webp")]
    assert paths
    assert {path.name: size for path in paths if (size := path.stat().st_size) >= 200_000} == {}


# What a block of docs/statistics.md and its chapters says, by words that stand in it, and the tests that hold it to that.
HELD = {
    "distances that its levels have without the prompt": (
        "test_ordinal_alpha_has_its_own_distances_without_each_prompt"
        " test_a_scorers_ordinal_alpha_has_its_own_distances_without_each_prompt"
    ),
    "rest on few of the prompts": (
        "test_a_coefficient_that_one_prompt_carries_is_as_sure_as_that_prompt"
        " test_prompts_that_hardly_differ_do_not_make_a_coefficient_certain"
    ),
    "So much for a mean. ICC(2,1)": (
        "test_icc_2_of_few_persons_holds_the_chi_square_interval_of_their_variance"
        " test_dependability_of_more_ratings_has_the_ends_of_one_stepped_up"
        " test_two_persons_give_icc_2_no_interval_for_other_people"
    ),
    "With persons as a sample": (
        "test_variance_with_prompts_and_persons_random_is_that_of_analysis_of_variance"
        " test_variance_with_persons_random_is_never_less_than_with_prompts_or_persons_alone"
        " test_icc_2_is_about_other_people_and_says_what_these_give test_two_persons_give_icc_2_no_interval_for_other_people"
    ),
    "Every number goes with n": (
        "test_every_row_is_bounded_and_accounts_for_itself test_every_number_shown_is_one_of_the_data_with_n_and_interval"
    ),
    "One judgement counts": (
        "test_a_second_answer_is_a_repeat test_excluded_rows_are_only_counted test_unblinded_and_undecided_answers_do_not_count"
    ),
    "random stratum": "test_only_the_random_stratum_counts_where_there_is_one",
    "Suites are never pooled": "test_suites_are_never_pooled test_simulated_people_stand_apart",
    "People who give no ids": "test_slots_are_not_persons",
    "the scale's and not the selection's": (
        "test_labels_of_other_tasks_are_on_the_scale_too"
        " test_a_nominal_scale_has_the_labels_that_are_used_unless_it_names_its_own"
    ),
    "`each` |": "test_a_scorer_against_each_annotation",
    "`majority` | what": "test_a_scorer_against_the_majority",
    "`mean` |": "test_a_score_meets_other_aspects",
    "`score` meets people's": "test_a_score_meets_other_aspects",
    "unweighted mean over": "test_cells_and_the_mean_over_tasks test_a_task_without_a_value_leaves_the_mean_undefined",
    "Prompts are a sample": "test_deviations_are_those_without_each_prompt test_other_people_are_random_as_well",
    "delete-one-prompt jackknife": (
        "test_of_a_mean_it_is_students_interval test_the_interval_leaves_groups_out test_asking_again_gives_the_same"
        " test_strata_have_the_degrees_of_freedom_of_welch_and_satterthwaite"
    ),
    "Shares near 0 or 1": (
        "test_a_share_that_few_prompts_change_is_that_of_as_many_cases test_shares_of_ten_single_images_are_those_of_ten_cases"
    ),
    "Any other statistic that is the same": "test_what_no_prompt_changes_has_no_interval_but_for_shares",
    "Undefined without one of the prompts": "test_why_there_is_none",
    "fewer than five prompts tell more": "test_why_there_is_none test_five_prompts_that_all_differ_bound_a_coefficient",
    "in fewer than three prompts": "test_a_score_beside_answers_that_are_nearly_all_alike_has_no_interval",
    "Rank correlation of a few generators": "test_spearman_resamples_prompts_with_votes_and_values_together",
    "Beside each scorer's number": "test_one_person_out_by_hand test_one_rating_out_by_hand test_the_difference_is_paired",
    "`equivalent` |": "test_the_verdict_from_how_the_difference_varies test_the_margin_is_an_option",
    "how good is a generator? |": (
        "test_peoples_mean_of_a_generator_is_one_number test_images_weigh_equally_however_many_people_answered"
    ),
    "which of two is better? |": "test_the_difference_of_two_generators_is_one_number",
    "how well do people do what a scorer does? |": "test_peoples_level_is_that_of_one_person_by_the_same_statistic",
    "One question has one number": "test_every_headline_says_the_same test_the_order_of_generators_is_one_order",
    "A headline says *best* only": (
        "test_nothing_is_best_without_an_interval_above_0 test_few_answers_have_no_winner"
        " test_without_a_level_the_line_says_why_and_no_band_is_drawn"
    ),
    "Whatever else is shown is named": (
        "test_a_table_counts_images_by_majority_unless_answers_are_asked_for test_few_answers_have_no_winner"
    ),
    "`below`, `above` |": "test_the_verdict_from_how_the_difference_varies test_verdicts",
    "none | else": "test_prompts_needed_go_with_the_square_of_the_reach test_two_images_say_nothing_of_others",
    "These 3 people, on other prompts": (
        "test_verdicts test_other_people_are_random_as_well"
        " test_a_score_is_never_said_to_be_at_or_above_peoples_yes_and_no test_p_is_that_of_all_signs"
    ),
    "scorer that saw these labels": (
        "test_a_scorer_that_saw_the_labels_is_marked_and_has_no_verdict test_a_scorer_that_saw_the_labels_has_no_p"
        " test_scorers_that_were_tuned_where_people_had_answered_are_marked"
    ),
    "units with two ratings or more": "test_classes_by_hand",
    "sign-flip test over prompts": (
        "test_p_equals_a_loop_that_swaps_prompts test_three_prompts_cannot_be_significant"
        " test_ranks_are_swapped_as_they_are test_what_a_prompt_adds_to_a_difference_of_areas_is_delongs"
        " test_p_of_two_areas_says_what_their_interval_says test_p_is_corrected_within_its_family_only"
        " test_prompts_of_several_images_are_swapped_in_mcnemars_place test_no_fold_has_a_prompt_of_another"
    ),
    "`rank` and the page *Scorers* ask": (
        "test_targets_of_an_image_are_averaged test_every_number_of_the_page_opens_what_is_behind_it"
    ),
    "Does a scorer choose the better image": (
        "test_accuracy_and_epsilon_are_those_of_mt_metrics_eval test_a_prompt_has_no_say_in_its_own_epsilon"
    ),
    "Does it order the generators?": "test_only_shared_prompts_are_compared test_rank_sets_are_those_of_paired_differences",
    "`generator_pairwise_accuracy`": "test_accuracy_and_tau_of_means_are_those_of_loops_and_scipy",
    "`generator_kendall_tau_b`": "test_accuracy_and_tau_of_means_are_those_of_loops_and_scipy",
    "`soft_pairwise_accuracy`": "test_soft_pairwise_accuracy_is_that_of_mt_metrics_eval",
    "| `rank` | the place": "test_rank_sets_are_those_of_paired_differences",
    "Few generators decide nothing": "test_too_few_generators_decide_nothing",
    "People's own level stands beside": (
        "test_peoples_own_level_is_that_of_loops test_peoples_level_does_not_depend_on_how_many_rated"
        " test_a_scorer_that_knows_nothing_is_not_equivalent_to_people_where_most_pairs_are_tied"
    ),
    "Intervals. *Pairwise accuracy*": "test_a_prompt_has_no_say_in_its_own_epsilon "
    "test_every_row_has_the_keys_of_the_command_and_none_has_width_zero "
    "test_drawn_p_are_those_of_z_with_the_jackknifes_covariance test_generators_that_all_tell_apart_have_no_soft_interval",
    "TIFA's ten metrics on its own study": "test_the_ten_metrics_of_tifa_beside_people",
    "`alt-test` asks whether": "test_the_test_is_that_of_its_authors",
    "W scorer is 1 where": "test_images_of_a_prompt_are_left_out_together test_without_variance_signs_are_tested",
    "p is corrected over persons": "test_the_test_is_that_of_its_authors",
    "ε is what a person costs more": "test_the_test_is_that_of_its_authors",
    "It is refused, with the reason": "test_where_nothing_can_be_tested_it_says_why",
    "*Scorers* says for each scorer": "test_one_sentence_says_whether_it_may_replace_people",
    "show one primary statistic": "test_the_table_has_a_scales_main_statistics_and_says_how_to_see_the_rest",
    "labels, yes or no |": "test_three_of_each_scale_the_primary_one_first",
    "ordinal |": "test_three_of_each_scale_the_primary_one_first",
    "numbers |": "test_three_of_each_scale_the_primary_one_first",
    "a score beside yes or no |": "test_three_of_each_scale_the_primary_one_first",
    "`estimate`, the page Estimates": "test_labels_that_a_campaign_drew_count test_the_report_has_what_is_estimated",
    "**Prediction-powered mean**": "test_equals_ppi_python_with_one_image_a_prompt",
    "estimate = mean_n(Y)": "test_equals_ppi_python_with_one_image_a_prompt",
    "Var(F) is of all n + N": "test_an_adverse_or_constant_scorer_leaves_the_labels_alone test_strata_count_by_their_units",
    "*Labels must be drawn by chance*": (
        "test_what_chance_did_not_draw_is_refused_unless_the_user_says_so test_a_draw_from_some_images_says_nothing_of_others"
        " test_a_trial_hides_labels_and_shows_what_they_say test_peoples_mean_of_a_generator_is_one_number"
    ),
    "*What is random.* `--target prompts`": (
        "test_prompts_are_left_out_of_both_samples test_of_these_images_only_labels_are_by_chance"
        " test_a_difference_leaves_out_a_prompt_of_both_generators test_what_hardly_varies_has_an_interval_with_room"
        " test_whole_prompts_are_left_out_where_they_were_drawn"
    ),
    "`labels_saved`: labels alone": "test_all_are_labelled_and_too_few",
    "**Unequal chances**": (
        "test_scorers_that_disagree_or_are_near_the_cut_make_an_error_likely test_they_add_up_and_keep_to_the_floor"
        " test_labels_of_a_weighted_draw_count_in_estimates_alone"
    ),
    "**Corrected rate**": "test_equals_the_formula_without_each_prompt",
    "rate = (p + q0 - 1)": "test_equals_the_formula_without_each_prompt",
    "Its interval leaves out prompts": (
        "test_equals_the_formula_without_each_prompt test_a_scorer_that_tells_too_little_is_refused"
        " test_agreement_on_passes_has_the_exact_interval_where_it_is_whole test_corrected_rates_and_differences"
    ),
    "`plan` and the page *Plan*": (
        "test_components_of_a_complete_table_are_those_of_the_analysis_of_variance"
        " test_components_and_replicates_equal_pairs_one_by_one"
    ),
    "prompt / G + image": "test_a_plan_at_the_observed_design_gives_the_error_that_studies_have",
    "and half its 95 % interval": (
        "test_one_prompt_and_slots_have_reasons test_power_is_how_often_a_paired_test_finds_the_difference"
        " test_statistics_are_planned_from_fewer_images_and_ratings"
    ),
    "`rater-effects`: `severity`": (
        "test_severities_are_those_of_least_squares_with_dummies test_severity_covers_and_a_person_alone_has_none"
    ),
    "The rest: `--all-statistics`": "test_the_main_statistics_stand_first_and_the_rest_opens_by_a_click",
}


def statements(text: str) -> list[str]:
    """The paragraphs, points and rows of tables of a page's prose, each on one line; headings and sources say nothing."""
    blocks = re.split(r"\n\n|\n(?=- |\| )", text)
    lines = [" ".join(block.split()) for block in blocks]
    empty = re.compile(r"#|How often these|Chapters:|\|[-| ]*\||\| (verdict|people as|scale|statistic|question|metric) \||$")
    return [line for line in lines if not empty.match(line)]


def test_every_statement_about_statistics_is_held_by_a_test() -> None:
    # what a formula is stands in the catalogue, and what simulations gave is printed by them
    pages = [
        ROOT / "docs" / "statistics.md",
        *(path for path in CHAPTERS if path.stem not in ("formulas", "coverage", "coverage-of-rankings")),
    ]
    answers = [line for path in pages for line in statements(text_of(path))]
    assert [line for line in answers if not any(words in line for words in HELD)] == []
    assert [words for words in HELD if not any(words in line for line in answers)] == []
    tests = {name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", text_of(path))}
    assert {name for names in HELD.values() for name in names.split()} - tests == set()


NAMED = re.compile(r"`((?:\w+/)*[\w.]+/?)`")
"""A path in backticks."""


def test_paths_of_the_developers_pages_exist() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}
    for page in (ROOT / "docs" / "ARCHITECTURE.md", ROOT / "docs" / "CONTRIBUTING.md"):
        paths = {path for path in NAMED.findall(text_of(page)) if "/" in path and path.split("/")[0] in folders}
        assert len(paths) > 15
        assert {path for path in paths if not (ROOT / path).exists()} == set()


WALK = re.compile(r"^### (.+) \((\d+) functions, (\d+) files\)$")
STEP = re.compile(r"^- `([\w./]+)`: (`\w+`(?:, `\w+`)*)$")
LONGEST_WALKS = [(40, 18), (60, 32), (20, 10)]


def test_the_walks_are_counted_and_short() -> None:
    walks: list[tuple[int, int]] = []
    steps: list[tuple[str, str]] = []
    for line in [*text_of(ROOT / "docs" / "ARCHITECTURE.md").splitlines(), "## end"]:
        if line.startswith("##") and walks and steps:
            assert (len(set(steps)), len({path for path, _ in steps})) == walks[-1]
            steps = []
        if title := WALK.match(line):
            walks.append((int(title[2]), int(title[3])))
        elif step := STEP.match(line):
            source = text_of(ROOT / step[1])
            for name in re.findall(r"`(\w+)`", step[2]):
                script = step[1].endswith(".js")
                shape = rf"(?:export )?(?:function )?{name}\(" if script else rf"(?:async )?(?:def|class) {name}\b"
                assert re.search(rf"^ *{shape}", source, re.MULTILINE), f"{step[1]}: {name}"
                steps.append((step[1], name))
    assert len(walks) == 3
    assert all(n <= most and files <= most_files for (n, files), (most, most_files) in zip(walks, LONGEST_WALKS, strict=True))
