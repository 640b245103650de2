"""The published detectors' and image-text models' architectures, small and with random weights, saved as the real ones are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from data.prompts.coco import COCO

NAMES_91: dict[int, str] = dict.fromkeys(range(91), "N/A") | dict(
    zip(
        [n for n in range(1, 91) if n not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)], COCO, strict=True
    )
)  # fmt: skip
"""DETR's: COCO's own numbers, with gaps."""
NAMES_80 = dict(enumerate(COCO))


def mask2former(folder: Path, names: Mapping[int, str] = NAMES_80) -> Path:
    from transformers import Mask2FormerConfig, Mask2FormerForUniversalSegmentation, SwinConfig

    swin = SwinConfig(
        embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 2, 2, 2], window_size=4,
        out_features=["stage1", "stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = Mask2FormerConfig(
        backbone_config=swin, feature_size=32, mask_feature_size=32, hidden_dim=32, encoder_feedforward_dim=16,
        dim_feedforward=16, encoder_layers=1, decoder_layers=3, num_attention_heads=2, num_queries=20, id2label=dict(names),
    )  # fmt: skip
    model = _seeded(Mask2FormerForUniversalSegmentation, config)
    with torch.no_grad():  # sure enough of something, and that nothing is there seldom the likeliest
        model.class_predictor.weight.normal_(std=2.0)
        model.class_predictor.bias[-1] = -4
    return _saved(model, folder)


def owl(folder: Path, version: int, side: int = 64) -> Path:
    from transformers import Owlv2Config, Owlv2ForObjectDetection, OwlViTConfig, OwlViTForObjectDetection

    text = {
        "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
        "max_position_embeddings": 32, "vocab_size": 514, "bos_token_id": 512, "eos_token_id": 513, "pad_token_id": 0,
    }  # fmt: skip
    vision = {
        "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": side,
        "patch_size": 16,
    }  # fmt: skip
    kinds: Any = (OwlViTConfig, OwlViTForObjectDetection) if version == 1 else (Owlv2Config, Owlv2ForObjectDetection)
    config = kinds[0](text_config=text, vision_config=vision, projection_dim=16)
    model = _seeded(kinds[1], config)
    with torch.no_grad():
        model.class_head.dense0.weight.normal_()
    _clip_tokenizer(folder)
    return _saved(model, folder)


def detr(folder: Path, names: Mapping[int, str] = NAMES_91, timm: bool = False) -> Path:
    from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig

    resnet = ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"]
    )
    backbone: dict[str, Any] = {"backbone": "resnet18", "use_timm_backbone": True} if timm else {"backbone_config": resnet}
    config = DetrConfig(
        **backbone, d_model=16, encoder_layers=1, decoder_layers=1, encoder_ffn_dim=16, decoder_ffn_dim=16,
        encoder_attention_heads=2, decoder_attention_heads=2, num_queries=20, id2label=dict(names),
    )  # fmt: skip
    model = _seeded(DetrForObjectDetection, config)
    with torch.no_grad():
        model.class_labels_classifier.weight.normal_(std=2.0)
    return _saved(model, folder)


def _unlike(model: Any) -> Any:
    """Boxes that depend on the picture: drawn as they are, all are the anchors'."""
    heads = model.model.decoder
    with torch.no_grad():
        for last in (head.layers[-1] for head in (model.model.enc_bbox_head, *heads.bbox_embed)):
            last.weight.normal_(std=0.5)
        for head in (model.model.enc_score_head, *heads.class_embed):
            head.weight.normal_(std=2.0)
            head.bias.zero_()
    return model


def rt_detr(folder: Path, version: int = 2) -> Path:
    from transformers import (
        RTDetrConfig,
        RTDetrForObjectDetection,
        RTDetrResNetConfig,
        RTDetrV2Config,
        RTDetrV2ForObjectDetection,
    )

    resnet = RTDetrResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    heads = {
        "d_model": 16, "encoder_hidden_dim": 16, "encoder_in_channels": [8, 16, 16], "encoder_ffn_dim": 16,
        "encoder_attention_heads": 2, "decoder_in_channels": [16] * 3, "decoder_ffn_dim": 16, "decoder_attention_heads": 2,
        "decoder_layers": 2, "num_queries": 20, "id2label": dict(enumerate(COCO)),
    }  # fmt: skip
    kind, config = (RTDetrForObjectDetection, RTDetrConfig) if version == 1 else (RTDetrV2ForObjectDetection, RTDetrV2Config)
    model = _seeded(kind, config(backbone_config=resnet, **heads))
    return _saved(_unlike(model), folder)


def d_fine(folder: Path) -> Path:
    from transformers import DFineConfig, DFineForObjectDetection, HGNetV2Config

    hgnet = HGNetV2Config(
        stem_channels=[3, 8, 8], stage_in_channels=[8, 8, 16, 16], stage_mid_channels=[8] * 4, hidden_sizes=[8, 16, 16, 16],
        stage_out_channels=[8, 16, 16, 16], stage_num_blocks=[1] * 4, stage_numb_of_layers=[1] * 4,
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = DFineConfig(
        backbone_config=hgnet, d_model=16, encoder_hidden_dim=16, encoder_in_channels=[16] * 3, encoder_ffn_dim=16,
        encoder_attention_heads=2, decoder_in_channels=[16] * 3, decoder_ffn_dim=16, decoder_attention_heads=2,
        decoder_layers=2, num_queries=20, id2label=dict(enumerate(COCO)),
    )  # fmt: skip
    model = _seeded(DFineForObjectDetection, config)
    return _saved(_unlike(model), folder)


def grounding_dino(folder: Path) -> Path:
    from transformers import BertConfig, GroundingDinoConfig, GroundingDinoForObjectDetection, SwinConfig

    swin = SwinConfig(
        embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 2, 2, 2], window_size=4, out_features=["stage2", "stage3", "stage4"]
    )
    bert = BertConfig(
        vocab_size=1200, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64,
    )  # fmt: skip
    config = GroundingDinoConfig(
        backbone_config=swin, text_config=bert, num_queries=20, encoder_layers=1, encoder_ffn_dim=16,
        encoder_attention_heads=2, decoder_layers=2, decoder_ffn_dim=16, decoder_attention_heads=2, d_model=32,
        max_text_len=32,
    )  # fmt: skip
    _bert_tokenizer(folder)
    model = _seeded(GroundingDinoForObjectDetection, config)
    with torch.no_grad():  # untrained it would give the same boxes to every picture
        for head in model.bbox_embed:
            head.layers[-1].weight.normal_()
    return _saved(model, folder)


def clip(folder: Path, quick: bool = True) -> Path:
    """A ViT of open_clip with its own tokenizer; ``quick``: OpenAI's activation."""
    import open_clip
    from safetensors.torch import save_file

    config = {
        "embed_dim": 16,
        "quick_gelu": quick,
        "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16},
        "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 1, "layers": 1},
    }
    processing = {
        "mean": [0.48145466, 0.4578275, 0.40821073], "std": [0.26862954, 0.26130258, 0.27577711],
        "interpolation": "bicubic", "resize_mode": "shortest",
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": config, "preprocess_cfg": processing}))
    torch.manual_seed(0)
    save_file(open_clip.CLIP(**config).state_dict(), folder / "open_clip_model.safetensors")
    return folder


def transformers_clip(folder: Path) -> Path:
    """A CLIP of transformers with its processor, as PickScore is published."""
    from transformers import AutoTokenizer, CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor

    shared = {
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "hidden_act": "gelu",
    }
    text: dict[str, Any] = {
        **shared,
        "hidden_act": "gelu",
        "vocab_size": 514,
        "bos_token_id": 512,
        "eos_token_id": 513,
        "pad_token_id": 0,
    }
    vision: dict[str, Any] = {**shared, "hidden_act": "gelu", "image_size": 32, "patch_size": 8}
    model = _seeded(CLIPModel, CLIPConfig(text_config=text, vision_config=vision, projection_dim=16))
    with torch.no_grad():  # pictures and words make a difference
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(std=0.3)
    _clip_tokenizer(folder)
    size = {"height": 32, "width": 32}
    images = CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=size)
    CLIPProcessor(images, AutoTokenizer.from_pretrained(folder)).save_pretrained(folder)
    return _saved(model, folder)


def _seeded(kind: Any, config: Any) -> Any:
    torch.manual_seed(0)
    return kind(config).eval()


def _saved(model: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    return folder


def _clip_tokenizer(folder: Path) -> None:
    """OpenAI's byte-level tokens without a single merge: a text is its letters."""
    folder.mkdir(parents=True, exist_ok=True)
    letters = [chr(n) for n in (*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324))]
    listed = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({token: k for k, token in enumerate(listed)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    _write_tokenizer_config(folder, "CLIPTokenizer", pad_token="!")


def _bert_tokenizer(folder: Path) -> None:
    """BERT's numbers of the marks that Grounding DINO knows by number, all names of COCO, and letters."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = ["[PAD]", *(f"[unused{k}]" for k in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    listed += [f"[unused{k}]" for k in range(99, 99 + 1012 - len(listed))]
    listed += [".", *(f"[unused{k}]" for k in range(2000, 2016)), "?"]
    words: Sequence[str] = sorted({word for name in COCO for word in name.split()})
    listed += [*words, "computer", "tennis", *(f"##{letter}" for letter in "abc"), "a", "b", "c"]
    listed = list(dict.fromkeys(listed))
    (folder / "vocab.txt").write_text("\n".join(listed) + "\n")
    _write_tokenizer_config(folder, "BertTokenizer", do_lower_case=True)


def _write_tokenizer_config(folder: Path, kind: str, **more: Any) -> None:
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind, **more}))
