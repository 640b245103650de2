"""Meta-evaluation of a project: estimates, rankings, replacement of people, plans and rater effects."""
