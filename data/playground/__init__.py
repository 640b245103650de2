"""The playground: a small drawn world whose truth is known, in Python and numpy. `tools/playground` trains its models."""
