"""No file runs code: weights are safetensors, pickles are refused unless somebody says otherwise, code of models stays text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorers.models import files

ROOT = Path(__file__).resolve().parents[3]
SOURCES = [
    path
    for part in ("ui", "concord", "scorers", "annotation", "agreement", "data", "tools")
    for path in sorted((ROOT / part).rglob("*.py"))
]
UNPICKLING = {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal", "cloudpickle"}
TRUSTING = {"weights_only", "trust_remote_code", "allow_pickle", "shell"}
RUNNING = {"eval", "exec", "compile", "__import__"}


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Every call by its dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def wrong(path: Path, text: str) -> Iterator[str]:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = {alias.name for alias in node.names} | ({node.module} if isinstance(node, ast.ImportFrom) else set())
            yield from (f"{path}: imports {name}" for name in names if name and name.split(".")[0] in UNPICKLING)
    for name, call in calls(tree):
        values = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg in TRUSTING}
        if name.endswith("torch.load") and values.get("weights_only") != "True":
            yield f"{path}:{call.lineno}: torch.load without weights_only=True"
        if values.get("weights_only") == "False" or values.get("trust_remote_code", "False") != "False":
            yield f"{path}:{call.lineno}: trusts what it reads"
        if values.get("allow_pickle", "False") != "False":
            yield f"{path}:{call.lineno}: numpy unpickles"
        if name in ("yaml.load", "yaml.load_all", "yaml.unsafe_load") and not _safe_loader(tree, call):
            yield f"{path}:{call.lineno}: {name} makes any object"
        if name in RUNNING or values.get("shell") == "True" or name in ("os.system", "os.popen"):
            yield f"{path}:{call.lineno}: {name} runs text"
        if name.endswith(("extractall", ".extract")) and ("zip" in name or "tar" in name or "archive" in name):
            yield f"{path}:{call.lineno}: {name} writes where an archive says"


def _safe_loader(tree: ast.AST, call: ast.Call) -> bool:
    """Whether the loader is SafeLoader or a class of this file that is one."""
    loader = ast.unparse(call.args[1]) if len(call.args) > 1 else ""
    bases = {node.name: [ast.unparse(base) for base in node.bases] for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return any(base.endswith("SafeLoader") for base in [loader, *bases.get(loader, [])])


def test_nothing_of_ours_unpickles_or_runs_what_it_reads() -> None:
    assert len(SOURCES) > 300
    assert [said for path in SOURCES for said in wrong(path, path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "text",
    [
        "import pickle", "from joblib import load", "torch.load('x')", "torch.load('x', weights_only=False)", "eval('1')",
        "Auto.from_pretrained('x', trust_remote_code=True)", "yaml.load(text)", "yaml.load(text, yaml.Loader)",
        "numpy.load('x', allow_pickle=True)", "subprocess.run('ls', shell=True)", "archive.extractall('x')",
    ],
)  # fmt: skip
def test_the_search_finds(text: str) -> None:
    assert list(wrong(Path("x.py"), text))


@pytest.mark.parametrize("name", ["weights.pt", "models/a.ckpt", "/x/pytorch_model.bin", "A.PTH", "yolo11x-seg", "m.pkl"])
def test_pickles_are_refused_in_one_clear_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(files.TRUST, raising=False)
    with pytest.raises(ValueError, match="a pickle") as caught:
        files.fingerprint(name)
    assert "CONCORD_TRUST_PICKLE=1" in str(caught.value)
    assert "\n" not in str(caught.value)
    for said in ("0", "yes", ""):
        monkeypatch.setenv(files.TRUST, said)
        assert not files.trusted()


def test_no_detector_is_opened_from_a_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from scorers.models.detectors import open_detector

    monkeypatch.delenv(files.TRUST, raising=False)
    (tmp_path / "x.pt").write_bytes(b"\x80\x02.")
    for name in (str(tmp_path / "x.pt"), str(tmp_path / "pytorch_model.bin")):
        with pytest.raises(ValueError, match="is a pickle"):
            open_detector(name, 64, 0.1, 0.7, "cpu")


def test_yolo_reads_no_checkpoint_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scorers.models.detectors.yolo")
    from scorers.models.detectors.yolo import load

    monkeypatch.delenv(files.TRUST, raising=False)
    (tmp_path / "x.pt").write_bytes(b"\x80\x02.")
    with pytest.raises(ValueError, match="is a pickle"):
        load(tmp_path / "x.pt")


def test_a_folder_with_a_pickle_alone_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    from transformers import DetrConfig, DetrForObjectDetection

    from scorers.models.pretrained import load

    monkeypatch.delenv(files.TRUST, raising=False)
    (tmp_path / "config.json").write_text(DetrConfig(use_timm_backbone=False).to_json_string())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ValueError, match="cannot be opened by transformers"):
        load(DetrForObjectDetection, str(tmp_path), "cpu")
    with pytest.raises(ValueError, match="holds no weights"):
        files.fingerprint(str(tmp_path))


def test_code_in_a_models_folder_stays_text(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from scorers.models.pretrained import config_of

    (tmp_path / "config.json").write_text('{"model_type": "harm", "auto_map": {"AutoConfig": "harm.Harm"}}')
    done = tmp_path / "done"
    (tmp_path / "harm.py").write_text(f"from pathlib import Path\nPath({str(done)!r}).write_text('x')\n")
    with pytest.raises(ValueError, match="cannot be opened by transformers"):
        config_of(str(tmp_path))
    assert not done.exists()
