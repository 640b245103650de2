"""The data for machines in a report's page."""

from __future__ import annotations

import gzip
from base64 import b64decode


def unpacked_data(page: str) -> str:
    """Return the JSON of a report's page."""
    packed = page.split('id="concord-data">')[1].split("</script>")[0]
    return gzip.decompress(b64decode(packed)).decode()
