"""Diffusion models of the package diffusers: which are known, how they are opened, and what each computes."""
