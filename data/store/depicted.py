"""Images with their prompts, for exports."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from data.store.export import batches
from data.store.selection import Selection
from data.store.store import Store

_QUERY = """
select i.image_id as image_id, i.prompt_id as prompt, t.suite, t.task, i.generator, i.idx as "index", p.text as prompt_text,
       p.spec as prompt_spec, i.sha256, i.width, i.height, i.path
from items t
join images i on i.image_id = t.item_id
left join prompts p on p.prompt_id = i.prompt_id
where t.kind = 'image' and {where}
order by i.prompt_id, i.generator, i.idx
"""


def images(store: Store, selection: Selection) -> Iterator[pd.DataFrame]:
    """The selected images, some at a time; ``path`` is where the file is, below the project's folder or absolute."""
    condition, parameters = selection.items()
    yield from batches(store, _QUERY.format(where=condition), parameters)
