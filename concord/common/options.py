"""Options that several requests have in common. Commands import this before they know their project: nothing heavy."""

from __future__ import annotations

from typing import Annotated

from data.requests import Setting

Intervals = Annotated[bool, Setting("95 % intervals.")]
OutputFile = Annotated[str, Setting("The file to write.", flags="-o --output", metavar="FILE")]
JsonLinesFile = Annotated[str, Setting("The file to write (JSON lines).", flags="-o --output", metavar="FILE")]
Scorers = Annotated[tuple[str, ...], Setting("Only this scorer, beside people. Repeatable.")]
Overrides = Annotated[
    tuple[str, ...], Setting("Change one setting of the profile. Repeatable.", flags="--set", metavar="KEY=VALUE")
]
Device = Annotated[str, Setting("auto (the GPU if there is one), cpu, cuda, mps; several: cuda:0,cuda:1.")]
BatchSize = Annotated[int | None, Setting("Batch size in images (32).", minimum=1, maximum=4096)]
Limit = Annotated[int | None, Setting("Maximum number of images, drawn at random over tasks; the seed is stored.", minimum=1)]
First = Annotated[int | None, Setting("Only the first N images by id, instead of a random draw.", minimum=1)]
FirstPrompts = Annotated[int | None, Setting("Only the first N prompts.", minimum=1)]
