"""How sure a number is: intervals by the jackknife over prompts or Wilson's, tests by sign flips, Holm's correction."""
