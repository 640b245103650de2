"""An open project, as pages, routes and commands hold it.

They hand it on to the functions of ``concord``, and ask it nothing but for its folder, its version and its secret: a test
refuses queries and writes outside of ``concord`` (``tests/test_architecture.py``).
"""

from __future__ import annotations

from typing import TypeAlias

from data.store.core.store import Store

OpenProject: TypeAlias = Store
"""The database behind a project, without a name of the database's for those who may not ask it."""
