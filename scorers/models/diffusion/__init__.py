"""Text-to-image models that denoise."""
