"""Maps of embeddings as the studio shows them: which there can be, made by a worker, coloured, and cut out by a lasso."""
