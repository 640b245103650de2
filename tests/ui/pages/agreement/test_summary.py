"""What the Agreement page says first."""

from __future__ import annotations

from dataclasses import replace

from agreement import Estimate
from concord.agreement import AgreementRows
from ui.pages.agreement.summary import _score_only, _which_statistic, headline
from ui.pages.agreement.view import AgreementView
from ui.shell.html import rendered


def test_raters_that_only_score_are_named_as_left_out() -> None:
    labels = ("percent_agreement", "cohen_kappa")
    met = [*(("labels", name) for name in labels), *(("metric", name) for name in ("auc", "spearman"))]
    rows = AgreementRows(raters=tuple(Estimate(rater=rater, statistic=statistic) for rater, statistic in met))
    assert _score_only(rows, AgreementView(task="all", statistic="cohen_kappa")).endswith("as they only give scores: metric.")
    # neither a statistic of people alone nor one of scores makes a label a score
    assert "labels" not in _score_only(rows, AgreementView(task="all", statistic="fleiss_kappa"))
    assert _score_only(rows, AgreementView(task="all", statistic="auc")) == ""


def test_a_page_says_why_it_shows_another_statistic_and_leads_to_the_main_one() -> None:
    def rows(*met: tuple[str, str]) -> AgreementRows:
        raters = tuple(Estimate(rater=rater, statistic=statistic) for rater, statistic in met)
        return AgreementRows(raters=raters, among_people=tuple(Estimate(statistic=name) for name in ("mean", "cohen_kappa")))

    kappa, rho = (AgreementView(suite="s", aspect="correct", statistic=name) for name in ("cohen_kappa", "spearman"))
    scores = rows(("metric", "spearman"), ("metric", "auc"))
    why = rendered(_which_statistic(scores, rho))
    assert "only give scores, which have no Cohen’s κ: this is Spearman’s ρ." in why
    assert "statistic=cohen_kappa" in why
    assert "as they only give scores: metric." in rendered(_which_statistic(scores, kappa))
    assert "statistic=spearman" in rendered(_which_statistic(scores, kappa))
    # where scorers give labels, too, or there is none, nothing is to be said
    assert rendered(_which_statistic(rows(("labels", "cohen_kappa"), ("labels", "spearman")), rho)) == ""
    assert rendered(_which_statistic(rows(), kappa)) == ""


def test_no_scorer_is_called_close_where_the_answers_allow_no_interval() -> None:
    scorer = Estimate(rater="m", statistic="cohen_kappa", value=0.0, n_items=1, n_ratings=30)
    rows, nothing = AgreementRows(raters=(scorer,), among_people=(Estimate(statistic="mean"),)), AgreementRows()
    view = AgreementView(suite="s", aspect="correct", task="all", statistic="cohen_kappa")
    said = rendered(headline(rows, nothing, view))
    assert "Too few answers yet to compare scorers with people" in said
    assert "m Cohen’s κ 0.00 on 1 image" in said
    wide = replace(rows, raters=(replace(scorer, low=-0.4, high=0.4),))
    assert "No scorer clearly agrees with people yet" in rendered(headline(wide, nothing, view))
    clear = replace(rows, raters=(replace(scorer, value=0.5, low=0.4, high=0.6),))
    said = rendered(headline(clear, nothing, view))
    assert "m agrees with people: Cohen’s κ 0.50 [0.40, 0.60]" in said
    assert "no level of people" in said
    few = replace(rows, raters=(replace(clear.raters[0], n_ratings=19),))
    assert "Too few answers yet" in rendered(headline(few, nothing, view))
