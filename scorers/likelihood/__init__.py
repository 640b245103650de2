"""How likely a diffusion model thinks an image is, given a caption: SelfEval and its relatives."""
