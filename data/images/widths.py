"""The widths, in pixels, in which pictures can be asked for; scripts name the same ones (``assets/js/thumbnails.js``)."""

from __future__ import annotations

from typing import Final

IN_STRIPS: Final = 160
IN_GRIDS: Final = 320
IN_PAIRS: Final = 640
IN_FORM: Final = 1600
"""The width, and the height at most, of what people judge: of a better quality, as that is judged, too."""
WIDTHS: Final = (IN_STRIPS, IN_GRIDS, IN_PAIRS, 1280, IN_FORM)
