"""Questions about prompts: written by a language model, and what answers to them tell (TIFA, DSG, VQA models beside people)."""
