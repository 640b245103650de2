"""VISOR: perceiving with a detector (scorer), the rules, and scores and files over many images (results)."""
