"""The shell of Studio's pages: a small framework over Gradio (README.md)."""
