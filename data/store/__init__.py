"""The project's database: the only package that speaks to DuckDB.

``core`` is under everything; ``library`` (prompts and questions), ``judgements``, ``imports``, ``runs`` and ``campaigns``
build on it in this order; ``browse`` and ``analysis`` read; ``backup`` copies and restores; ``people`` lets in and erases."""
