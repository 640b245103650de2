"""Campaigns as a researcher handles them, without Gradio: the page Campaigns and the command `campaigns` both call this."""
