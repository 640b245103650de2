"""Scorers that ask a visual question answering model: TIFA, DSG and VQAScore; and the questions' writing and filtering."""
