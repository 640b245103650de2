"""Ultralytics without its habits: it sends nothing, fetches nothing, and writes to a temporary folder, not to the home folder.

Import this module before ultralytics; it only sets variables that are not set yet.
"""

from __future__ import annotations

import os
import tempfile

os.environ.setdefault("YOLO_OFFLINE", "true")
os.environ.setdefault("YOLO_AUTOINSTALL", "false")
os.environ.setdefault("YOLO_VERBOSE", "false")
if "YOLO_CONFIG_DIR" not in os.environ:
    os.environ["YOLO_CONFIG_DIR"] = tempfile.mkdtemp(prefix="concord-ultralytics-")
