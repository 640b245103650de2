"""What a repository must not hold: registry hosts, machine paths, secrets of one machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# written in pieces, so that this file does not name them either
REGISTRIES = ("py" + "pi.org", "python" + "hosted", "registry.npm" + "js", "deb.deb" + "ian", "files.python" + "hosted")
MACHINE_PATHS = re.compile(
    "|".join(("/wo" + "rk/", "/ro" + "ot/", "/ho" + r"me/[a-z]", "/Us" + "ers/", r"[A-Z]:\\\\" + "Users"))
)
# what a file without any of these holds need not be decoded: there are megabytes of tables and weights
STEMS = tuple(stem.encode() for stem in (*REGISTRIES, "/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "Us" + "ers"))


def names(text: str) -> bool:
    """Whether a registry or a machine path is named."""
    return any(host in text for host in REGISTRIES) or MACHINE_PATHS.search(text) is not None


def tracked() -> list[Path]:
    """All files that git tracks; in an export without git, all files."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def test_no_tracked_file_names_a_registry_or_a_machine_path() -> None:
    files = tracked()
    assert ROOT / "app.py" in files
    results = []
    for path in files:
        if not path.is_file():
            continue
        content = path.read_bytes()
        text = content.decode("utf-8", "replace") if any(stem in content for stem in STEMS) else ""
        for number, line in enumerate(text.splitlines() if names(text) else (), 1):
            if names(line):
                results.append(f"{path.relative_to(ROOT)}:{number}: {line[:120]}")
    assert not results, "\n".join(results)


@pytest.mark.parametrize("line", ["https://" + REGISTRIES[0] + "/simple", 'path = "/wo' + 'rk/main"'])
def test_the_check_detects_registries_and_machine_paths(line: str) -> None:
    assert names(line)
    assert any(stem in line.encode() for stem in STEMS)
    assert not names("https://example.org/simple")


def test_lock_files_and_projects_are_ignored() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert {"uv.lock", "pylock.toml", "/projects/"} <= set(ignored)


def test_direct_dependencies_are_pinned() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    wanted = [*project["project"]["dependencies"], *(name for group in groups.values() for name in group)]
    assert [name for name in wanted if "==" not in name] == []
    assert groups["yolo"] == [name for name in wanted if name.startswith("ultralytics==")]
    assert set(project["tool"]["uv"]["default-groups"]) == set(groups) - {"ray"}


def test_the_locked_versions_are_those_of_the_project() -> None:
    """``requirements.lock`` has each direct dependency of a full installation at its version, everything with hashes."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    wanted = [*project["project"]["dependencies"], *(line for name in ("scorers", "yolo", "umap") for line in groups[name])]
    locked = [line for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines() if line[:1].isalnum()]
    assert {line.split(";")[0].strip(" \\") for line in locked} >= set(wanted)
    assert all(line.endswith("\\") for line in locked)
