"""In how many single-object pictures the detector finds the object: ``python -m scorers.training.measure_generator NAME``.

Every kind is asked for ``--n`` times, with seeds that the sample does not use; the verdict is that of GenEval's rules.
"""

from __future__ import annotations

import argparse
import json

import inflect

from data.playground.objects import KINDS
from data.prompts.spec import parse_spec
from scorers import generators, registry
from scorers.base import Shown

_FIRST_SEED = 7000


def found(generator: str, n: int) -> dict[str, int]:
    """Of ``n`` pictures of each kind, those in which it is found."""
    scorer = registry.get("geneval")
    settings = registry.settings(scorer, "playground")
    perceiver = scorer.open(settings, "cpu")
    paint, _ = generators.load(generator)
    article = inflect.engine().a
    counts = {}
    for kind in KINDS:
        text = f"a photo of {article(kind)}"
        spec = parse_spec({"tag": "single_object", "include": [{"class": kind, "count": 1}], "prompt": text})
        images = [one.picture for one in paint([text] * n, range(_FIRST_SEED, _FIRST_SEED + n))]
        seen = perceiver.perceive([Shown(str(number), image, text, spec) for number, image in enumerate(images)])
        counts[kind] = sum(scorer.judge(spec, one, settings).judgements[0].label == "yes" for one in seen)
    return counts


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Measure a generator of the playground on single objects.")
    parser.add_argument("generator", choices=list(generators.PLAYGROUND))
    parser.add_argument("--n", type=int, default=10, help="pictures of each kind")
    given = parser.parse_args()
    counts = found(given.generator, given.n)
    print(json.dumps({"found": sum(counts.values()) / given.n / len(counts), "n": given.n * len(counts), **counts}, indent=2))


if __name__ == "__main__":
    main()
