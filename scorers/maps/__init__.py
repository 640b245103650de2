"""Maps of embeddings: images that a model sees alike lie near each other. Made by a process of their own (``worker``)."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Final

METHODS: Final = {"pca": "PCA", "umap": "UMAP"}
"""By their names in an address."""
MOST: Final = {"pca": 200_000, "umap": 20_000}
"""Images on one map: what PCA holds in 2 GB, and what UMAP does in minutes."""
LEAST_UMAP: Final = 10
"""Images of which UMAP makes anything."""
UMAP_PACKAGE: Final = "umap-learn"


def umap_version() -> str | None:
    """Of the package that UMAP needs; None where it is not installed. Nothing is imported for it."""
    try:
        return version(UMAP_PACKAGE)
    except PackageNotFoundError:
        return None
