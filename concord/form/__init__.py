"""The annotation form: what a person is asked about an image, what becomes of their answer, and what their browser is told."""
