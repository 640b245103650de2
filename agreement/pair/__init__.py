"""Two raters, or a rater and people, in detail: how their answers cross, and what each person does beside the others."""
