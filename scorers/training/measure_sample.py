"""How the generators of the sample do by GenEval's rules: ``python -m scorers.training.measure_sample`` prints it as JSON.

No model runs: what the scorer saw is read from the sample's run, and judged by the rules as they are now. ``found`` is the
share of single-object pictures in which the object was found at all.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from data.playground.sample import FOLDER, TASKS, read_sample
from data.prompts.spec import parse_spec
from scorers import registry


def figures(folder: Path) -> dict[str, dict[str, float]]:
    """Shares of correct pictures: by generator, and by task, their unweighted mean (``overall``), and ``found``."""
    sample = read_sample(folder)
    prompts = {prompt.prompt_id: prompt for prompt in sample.prompts}
    images = {image.image_id: image for image in sample.images}
    scorer = registry.get("geneval")
    (run,) = (one for one in sample.runs if one.run().scorer == scorer.name)
    said: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for seen in run.observations():
        image = images[seen.item_id]
        prompt = prompts[image.prompt_id]
        judgements = scorer.judge(parse_spec(prompt.spec), seen, run.run().settings).judgements
        shares = said[image.generator]
        shares[str(prompt.task)].append(next(one.label == "yes" for one in judgements if one.aspect == "correct"))
        if prompt.task == "single_object":
            shares["found"].append(any(one.label == "yes" for one in judgements if one.aspect == "present"))
    return {generator: _shares(tasks) for generator, tasks in sorted(said.items())}


def _shares(tasks: dict[str, list[bool]]) -> dict[str, float]:
    shares = {task: sum(tasks[task]) / len(tasks[task]) for task in (*TASKS, "found")}
    overall = sum(shares[task] for task in TASKS) / len(TASKS)
    return {name: round(share, 4) for name, share in {**shares, "overall": overall}.items()}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Shares of correct pictures of the playground's sample.")
    parser.add_argument("--sample", type=Path, default=FOLDER)
    print(json.dumps(figures(parser.parse_args().sample), indent=2))


if __name__ == "__main__":
    main()
