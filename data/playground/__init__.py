"""The playground: a small drawn world whose truth is known. Pure Python and numpy; the models trained on it are elsewhere."""
