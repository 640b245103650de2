"""What one can do with a Concord project, as a Python library: a module or a package per activity. Commands, pages and
routes call these functions; nothing here knows Gradio, Typer or FastAPI.
"""
