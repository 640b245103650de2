"""Ultralytics without its habits: it sends nothing, fetches nothing, writes to a temporary folder and not to the home folder,
and leaves Pillow as it is.

Import this module before ultralytics; it only sets variables that are not set yet. The temporary folder goes with the process.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

os.environ.setdefault("YOLO_OFFLINE", "true")
os.environ.setdefault("YOLO_AUTOINSTALL", "false")
os.environ.setdefault("YOLO_VERBOSE", "false")
if "YOLO_CONFIG_DIR" not in os.environ:
    os.environ["YOLO_CONFIG_DIR"] = tempfile.mkdtemp(prefix="concord-ultralytics-")
    atexit.register(shutil.rmtree, os.environ["YOLO_CONFIG_DIR"], ignore_errors=True)

from PIL import Image
from ultralytics.utils import patches

# its own opener asks for one more package whenever a file is no image, for everybody in the process
Image.open = patches._image_open
