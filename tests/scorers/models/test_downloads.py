"""Sizes of downloads as they are said before somebody fetches a model: against the parameters of the architectures.

Architectures are built without memory ("meta"), by the published configurations; bytes a parameter are those of the published
weights. What no library here can build, or whose weights' precision is not known, is not in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scorers.models import downloads

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
open_clip = pytest.importorskip("open_clip")
transformers = pytest.importorskip("transformers")


def t5(size: str) -> Any:
    width, inner, heads, layers = {"xl": (2048, 5120, 32, 24), "xxl": (4096, 10240, 64, 24)}[size]
    return transformers.T5Config(
        vocab_size=32128, d_model=width, d_ff=inner, num_heads=heads, num_layers=layers, num_decoder_layers=layers,
        feed_forward_proj="gated-gelu", tie_word_embeddings=False,
    )  # fmt: skip


def mask2former() -> Any:
    swin = transformers.SwinConfig(
        embed_dim=96,
        depths=[2, 2, 18, 2],
        num_heads=[3, 6, 12, 24],
        window_size=7,
        out_features=["stage1", "stage2", "stage3", "stage4"],
    )
    config = transformers.Mask2FormerConfig(backbone_config=swin, num_labels=80)
    return transformers.Mask2FormerForUniversalSegmentation(config)


def vilt() -> Any:
    return transformers.ViltForQuestionAnswering(transformers.ViltConfig(num_labels=3129))


def blip_caption() -> Any:
    config = transformers.BlipConfig(
        vision_config={
            "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
            "image_size": 384,
        },
        text_config={"encoder_hidden_size": 1024},
    )  # fmt: skip
    return transformers.BlipForConditionalGeneration(config)


def git() -> Any:
    vision = {
        "hidden_size": 1024,
        "intermediate_size": 4096,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "patch_size": 14,
        "image_size": 420,
    }
    return transformers.GitForCausalLM(transformers.GitConfig(vision_config=vision, num_hidden_layers=6))


def blip2() -> Any:
    return transformers.Blip2ForConditionalGeneration(transformers.Blip2Config(text_config=t5("xl").to_dict()))


def instructblip() -> Any:
    config = transformers.InstructBlipConfig(text_config=t5("xl").to_dict())
    return transformers.InstructBlipForConditionalGeneration(config)


def qwen() -> Any:
    config = transformers.Qwen3VLConfig(
        text_config={"hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28, "num_attention_heads": 16,
                     "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "tie_word_embeddings": True},
        vision_config={"depth": 24, "hidden_size": 1024, "intermediate_size": 4096, "num_heads": 16, "out_hidden_size": 2048,
                       "deepstack_visual_indexes": [5, 11, 17]},
        tie_word_embeddings=True,
    )  # fmt: skip
    return transformers.Qwen3VLForConditionalGeneration(config)


def clip_text(width: int, layers: int, heads: int, projection: int = 0) -> Any:
    config = transformers.CLIPTextConfig(
        hidden_size=width,
        intermediate_size=4 * width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        projection_dim=projection or width,
    )
    return (transformers.CLIPTextModelWithProjection if projection else transformers.CLIPTextModel)(config)


def vae(latents: int = 4) -> Any:
    return diffusers.AutoencoderKL(
        block_out_channels=(128, 256, 512, 512), layers_per_block=2, latent_channels=latents,
        down_block_types=("DownEncoderBlock2D",) * 4, up_block_types=("UpDecoderBlock2D",) * 4,
        use_quant_conv=latents == 4, use_post_quant_conv=latents == 4,
    )  # fmt: skip


def sd15() -> list[Any]:
    unet = diffusers.UNet2DConditionModel(cross_attention_dim=768)
    checker = transformers.CLIPVisionModel(
        transformers.CLIPVisionConfig(
            hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16, patch_size=14
        )
    )
    return [unet, clip_text(768, 12, 12), vae(), checker]


def sd21() -> list[Any]:
    unet = diffusers.UNet2DConditionModel(
        cross_attention_dim=1024, attention_head_dim=[5, 10, 20, 20], use_linear_projection=True
    )
    return [unet, clip_text(1024, 23, 16), vae()]


def sdxl() -> list[Any]:
    unet = diffusers.UNet2DConditionModel(
        block_out_channels=(320, 640, 1280), transformer_layers_per_block=[1, 2, 10], attention_head_dim=[5, 10, 20],
        cross_attention_dim=2048, use_linear_projection=True, addition_embed_type="text_time", addition_time_embed_dim=256,
        projection_class_embeddings_input_dim=2816,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    )  # fmt: skip
    return [unet, clip_text(768, 12, 12), clip_text(1280, 32, 20, 1280), vae()]


def pixart() -> list[Any]:
    return [diffusers.PixArtTransformer2DModel(sample_size=128, out_channels=8), transformers.T5EncoderModel(t5("xxl")), vae()]


def sd3() -> list[Any]:
    transformer = diffusers.SD3Transformer2DModel(
        num_layers=24, attention_head_dim=64, num_attention_heads=24, caption_projection_dim=1536, pos_embed_max_size=192
    )
    clips = [clip_text(768, 12, 12, 768), clip_text(1280, 32, 20, 1280)]
    return [transformer, transformers.T5EncoderModel(t5("xxl")), *clips, vae(16)]


def open_clip_model(name: str) -> Callable[[], Any]:
    return lambda: open_clip.create_model(name, pretrained=None, device="meta")


SINGLE, HALF = 4, 2
MODELS: list[tuple[str, Callable[[], Any], int]] = [
    ("facebook/mask2former-swin-small-coco-instance", mask2former, SINGLE),
    ("google/owlvit-base-patch32", lambda: transformers.OwlViTForObjectDetection(transformers.OwlViTConfig()), SINGLE),
    ("ViT-B-32-quickgelu/openai", open_clip_model("ViT-B-32-quickgelu"), SINGLE),
    ("ViT-L-14-quickgelu/openai", open_clip_model("ViT-L-14-quickgelu"), SINGLE),
    ("ViT-H-14/laion2b_s32b_b79k", open_clip_model("ViT-H-14"), SINGLE),
    ("yuvalkirstain/PickScore_v1", open_clip_model("ViT-H-14"), SINGLE),
    ("models/HPS_v2_compressed", open_clip_model("ViT-H-14"), HALF),
    ("dandelin/vilt-b32-finetuned-vqa", vilt, SINGLE),
    ("Salesforce/blip-vqa-base", lambda: transformers.BlipForQuestionAnswering(transformers.BlipConfig()), SINGLE),
    ("Salesforce/blip-image-captioning-large", blip_caption, SINGLE),
    ("microsoft/git-large-vqav2", git, SINGLE),
    ("Qwen/Qwen3-VL-2B-Instruct", qwen, HALF),
    ("Salesforce/blip2-flan-t5-xl", blip2, SINGLE),
    ("Salesforce/instructblip-flan-t5-xl", instructblip, SINGLE),
    ("zhiqiulin/clip-flant5-xxl", lambda: transformers.T5ForConditionalGeneration(t5("xxl")), HALF),
    ("sd15", sd15, SINGLE),
    ("sd21", sd21, SINGLE),
    ("sdxl", sdxl, SINGLE),
    ("pixart", pixart, SINGLE),
    ("stabilityai/stable-diffusion-3-medium-diffusers", sd3, HALF),
]


@pytest.mark.parametrize(("name", "build", "each"), MODELS, ids=[name for name, _, _ in MODELS])
def test_a_download_is_as_large_as_the_model(name: str, build: Callable[[], Any], each: int) -> None:
    with torch.device("meta"):
        made = build()
    parts = made if isinstance(made, list) else [made]
    parameters = sum({id(p): p.numel() for part in parts for p in part.parameters()}.values())
    said = downloads.megabytes(name)
    assert said == pytest.approx(parameters * each / 1e6, rel=0.1)
