"""Text-to-image models by name, and the worker that generates pictures with them."""
