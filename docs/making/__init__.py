"""Makes the parts of the docs that follow from the code: ``python -m docs.making`` from the repository's root."""
