"""The likelihood scorers from images to judgements, with models known in closed form and with the playground's."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from data.jobs.runs import Observation
from data.spec import Spec
from scorers import registry
from scorers.base import ModelBroken, Shown
from scorers.likelihood import rules
from scorers.likelihood.perceiver import LikelihoodPerceiver
from scorers.likelihood.rules import pack, seeds, unpack
from tests.scorers.likelihood.toys import LinearGaussian

CAPTIONS = ("-0.9", "0.2", "0.8")
SMALL = {
    "model": "toy",
    "trials": 4,
    "steps": 10,
    "seed": 0,
    "batch": 5,
    "precision": "float32",
    "stages": "",
    "stop": 0.0,
    "every": 8,
}
METHODS = {"selfeval": "reverse", "elbo": "noise", "flowloss": "flow"}


def _grey(value: float) -> Image.Image:
    return Image.new("RGB", (4, 4), (round((value + 1) * 127.5),) * 3)


def _image_with_captions(value: float, right: int, name: str = "a") -> Shown:
    return Shown(name, _grey(value), CAPTIONS[right], Spec(), captions=CAPTIONS, right=right)


def _toy(scorer: str) -> LinearGaussian:
    return LinearGaussian(0.2, "flow" if scorer == "flowloss" else "v_prediction", size=16)


def _perceive(scorer: str, shown: list[Shown], **settings: Any) -> list[Observation]:
    return LikelihoodPerceiver(_toy(scorer), METHODS[scorer], {**SMALL, **settings}).perceive(shown)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", METHODS)
def test_the_fitting_caption_is_chosen_and_evidence_says_it_all(name: str) -> None:
    scorer = registry.get(name)
    shown = [_image_with_captions(0.15, 1, "a"), _image_with_captions(-0.85, 1, "b"), _image_with_captions(0.75, 2, "c")]
    seen = [
        replace(observation, payload=json.loads(json.dumps(observation.payload, allow_nan=False)))
        for observation in _perceive(name, shown)
    ]
    verdicts = [scorer.judge(Spec(), observation, SMALL) for observation in seen]
    assert [verdict.correct for verdict in verdicts] == [True, False, True]
    chosen = [next(j.label for j in verdict.judgements if j.aspect == "caption") for verdict in verdicts]
    assert chosen == ["0.2", "-0.9", "0.8"]
    for observation, verdict in zip(seen, verdicts, strict=True):
        payload = observation.payload
        assert unpack(payload["terms"]).shape == (4, 3, 10)
        assert payload["evaluations"] == payload["full"] == 120
        fits = payload["fits"]
        best_other = max(fit for index, fit in enumerate(fits) if index != payload["right"])
        margin = next(j.value for j in verdict.judgements if j.aspect == "score")
        assert margin == pytest.approx(fits[payload["right"]] - best_other)
        assert np.array(payload["trial_fits"]).mean(axis=0) == pytest.approx(np.array(fits))
        assert "120 of 120 evaluations" in verdict.checks[0].text


def test_an_image_is_judged_alike_alone_and_beside_others() -> None:
    shown = [_image_with_captions(0.15, 1, "a"), _image_with_captions(-0.85, 1, "b")]
    both, alone = _perceive("selfeval", shown)[1], _perceive("selfeval", shown[1:])[0]
    assert alone.payload["fits"] == pytest.approx(both.payload["fits"], rel=1e-5)
    assert _perceive("selfeval", shown[1:], seed=1)[0].payload["fits"] != alone.payload["fits"]


def test_aggregate_and_last_step_are_judged_again_from_the_same_evidence() -> None:
    scorer = registry.get("selfeval")
    (seen,) = _perceive("selfeval", [_image_with_captions(0.15, 1)])
    trials = rules.by_trial(seen.payload, SMALL)
    for settings in ({"aggregate": "lse"}, {"last_step": "drop"}, {"last_step": "large"}):
        verdict = scorer.judge(Spec(), seen, {**SMALL, **settings})
        fits = rules.fits(seen.payload, {**SMALL, **settings})
        assert fits.tolist() != rules.fits(seen.payload, SMALL).tolist()
        assert verdict.correct is True
    lse = rules.fits(seen.payload, {**SMALL, "aggregate": "lse"})
    assert (lse >= trials.mean(axis=0)).all()


def test_the_posterior_is_told_and_sums_to_one() -> None:
    (seen,) = _perceive("selfeval", [_image_with_captions(0.15, 1)])
    check = next(c.text for c in registry.get("selfeval").judge(Spec(), seen, SMALL).checks if c.text.startswith("posterior"))
    shares = [float(one) for one in check.split(": ")[1].split(", ")]
    assert sum(shares) == pytest.approx(1.0, abs=0.002)
    assert shares[1] == max(shares)


def test_a_caption_that_was_cut_is_told() -> None:
    long = ("0.2", "0.80000000000")
    (seen,) = _perceive("elbo", [Shown("a", _grey(0.2), long[0], Spec(), captions=long)])
    assert seen.payload["cut"] == [1]
    checks = [check.text for check in registry.get("elbo").judge(Spec(), seen, SMALL).checks]
    assert "only the start of a caption was read: 0.80000000000" in checks


def test_no_number_is_no_judgement_and_a_broken_model_stops_the_run() -> None:
    (seen,) = _perceive("elbo", [_image_with_captions(0.15, 1)])
    empty = {**seen.payload, "terms": pack(np.full((4, 3, 10), np.nan, np.float32))}
    verdict = registry.get("elbo").judge(Spec(), replace(seen, payload=empty), SMALL)
    assert {judgement.reason for judgement in verdict.judgements} == {"not_finite"}

    class Broken(LinearGaussian):
        def predict(self, noisy: torch.Tensor, *_: Any) -> torch.Tensor:
            return noisy * float("nan")

    for method in ("reverse", "noise"):
        with pytest.raises(ModelBroken, match="precision=float32"):
            LikelihoodPerceiver(Broken(0.2), method, SMALL).perceive([_image_with_captions(0.15, 1)])


def test_flows_and_diffusions_are_not_mistaken_for_each_other() -> None:
    with pytest.raises(ValueError, match="is a flow: score it with flowloss"):
        LikelihoodPerceiver(_toy("flowloss"), "reverse", SMALL)
    with pytest.raises(ValueError, match="is no flow: score it with selfeval or elbo"):
        LikelihoodPerceiver(_toy("elbo"), "flow", SMALL)


@pytest.mark.parametrize(
    ("scorer", "model", "said"),
    [
        ("selfeval", "flux", "flux can only generate images: no likelihood is computed of such a model; known: sd15"),
        ("elbo", "black-forest-labs/FLUX.1-schnell@abc", "can only generate images"),
        ("selfeval", "sd35", "sd35 is a flow: score it with flowloss"),
        ("flowloss", "playground-late", "playground-late is no flow: score it with selfeval or elbo"),
    ],
)
def test_a_model_that_cannot_be_scored_is_refused_by_its_name(scorer: str, model: str, said: str) -> None:
    found = registry.get(scorer)
    with pytest.raises(ValueError, match=re.escape(said)):
        registry.settings(found, registry.default_profile(found), {"model": model})
    registry.settings(registry.get("flowloss"), "sd3", {"model": "sd35"})


NO_TERMS: tuple[dict[str, Any], ...] = (
    {},
    {"shape": [1, 2], "data": ""},
    {"shape": [1, 1, 2], "data": "AAAA"},
    {"shape": [1, 1, 10**9], "data": ""},
    {"shape": "x", "data": "?"},
)


@pytest.mark.parametrize("wrong", NO_TERMS)
def test_terms_that_are_none_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not terms"):
        unpack(wrong)


def test_terms_are_packed_exactly() -> None:
    terms = np.array([[[1.5, np.nan, -0.0], [1e-30, 3e38, np.inf]]], np.float32)
    packed = pack(terms)
    assert np.array_equal(unpack(packed), terms, equal_nan=True)
    assert base64.b64decode(packed["data"])[:4] == b"\x00\x00\xc0\x3f"


def test_seeds_depend_on_image_trial_and_seed_alone() -> None:
    assert seeds("a", 3, 0) == seeds("a", 5, 0)[:3]
    assert len({*seeds("a", 5, 0), *seeds("b", 5, 0), *seeds("a", 5, 1)}) == 15


@pytest.mark.parametrize(
    ("scorer", "override", "told"),
    [
        ("selfeval", {"trials": "0"}, "trials must be at least 1"), ("selfeval", {"precision": "int8"}, "float32, bfloat16"),
        ("selfeval", {"aggregate": "max"}, "jensen, lse"), ("selfeval", {"last_step": "none"}, "previous, large, drop"),
        ("elbo", {"weighting": "snr"}, "uniform, bound"), ("elbo", {"stages": "5"}, "draws:captions"),
        ("selfeval", {"stages": "5:1"}, "no setting 'stages'"),
    ],
)  # fmt: skip
def test_senseless_settings_are_refused(scorer: str, override: dict[str, str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        registry.settings(registry.get(scorer), "playground", override)


def test_the_playgrounds_generator_judges_itself() -> None:
    scorer = registry.get("elbo")
    settings = registry.settings(scorer, "playground", {"trials": "1", "steps": "6"})
    assert set(settings["weights"]) == {"model"}
    early = registry.settings(scorer, "playground-early", {})
    assert early["weights"] != settings["weights"]
    captions = ("a photo of a red cup", "a photo of a blue bus", "a photo of three kites")
    picture = Image.new("RGB", (200, 150), "white")
    (seen,) = scorer.open(settings, "cpu").perceive([Shown("a", picture, captions[0], Spec(), captions=captions)])
    assert seen.payload["dimensions"] == 16 * 8 * 8
    assert np.isfinite(unpack(seen.payload["terms"])).all()
    assert seen.payload["cut"] == []
