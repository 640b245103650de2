"""From a likelihood scorer's evidence to judgements; never imports torch."""

from __future__ import annotations

from collections.abc import Sequence

from data.jobs.runs import Observation
from data.prompts.spec import Spec
from scorers.base import Check, Settings, Verdict
from scorers.likelihood import judging
from scorers.matching import posterior, verdict


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """See ``scorers.matching.verdict``; of what could not be looked at, nothing."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    payload = seen.payload
    found = judging.as_json(judging.fits(payload, settings))
    checks = [Check(f"{payload['evaluations']:,} of {payload['full']:,} evaluations (trials x captions x steps)", None)]
    known = [one for one in found if one is not None]
    in_nats = payload["method"] == "reverse" or settings.get("weighting") == "bound"
    if in_nats and len(known) == len(found):
        shares = ", ".join(f"{share:.3f}" for share in posterior(known))
        checks.append(Check(f"posterior of the captions, all equally likely before: {shares}", None))
        checks.append(Check(f"log p per dimension: {_each(known, int(payload['dimensions']))}", None))
    checks += [Check(f"only the start of a caption was read: {payload['captions'][place]}", None) for place in payload["cut"]]
    return verdict(payload["captions"], int(payload["right"]), found, checks)


def _each(known: Sequence[float], dimensions: int) -> str:
    return ", ".join(f"{one / dimensions:.5g}" for one in known)
