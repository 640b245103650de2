"""The server: one process with the Gradio apps, JSON routes, sign-in and pictures."""
