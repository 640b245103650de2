// The widths (px) in which pictures are asked for: those of data/images/widths.py, as a test makes sure.

export const IN_STRIPS = 160;
export const IN_GRIDS = 320;
export const IN_PAIRS = 640;
export const IN_FORM = 1600;

/** The address of a picture in a width; without one the address leads to the original. */
export const thumbnail = (address, width) => `${address}?w=${width}`;
