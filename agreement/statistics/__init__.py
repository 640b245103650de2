"""Coefficients of agreement and correlation, each formula once, on additive sums with any leading shape.

`two_raters` (kappa, AC1), `many_raters` (Fleiss, percent agreement), `alpha` (Krippendorff), `correlation`, `kendall`, `icc`.
`scale` says what a raw answer may be and in which order its levels stand.
"""
