"""Pipelines of diffusers as their papers built them, but tiny and untrained, saved as ``save_pretrained`` writes them.

Each has the scheduler that its published checkpoint comes with. Pictures are 16 pixels a side; of those
whose pipelines have a fixed size, 256 (FLUX, Qwen-Image) and 1,024 (Sana).
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

import diffusers
import torch
import transformers
from tokenizers import pre_tokenizers

WIDTH: Final = 16
"""Of a text encoder's states."""
LATENTS: Final = 8
"""A side of the latents; a VAE halves a picture's."""
_LETTERS: Final = [*"abcdefghijklmnopqrstuvwxyz0123456789.,'"]


def stable_diffusion(folder: Path, prediction_type: str = "epsilon", *, filtering: bool = False) -> Path:
    """Stable Diffusion 1.5 (epsilon) or 2.1 (``v_prediction``); ``filtering``: its safety checker flags every picture."""
    torch.manual_seed(0)
    pipeline = diffusers.StableDiffusionPipeline(
        vae=_vae(4, 0.18215),
        text_encoder=transformers.CLIPTextModel(_clip_config()),
        tokenizer=_clip_tokenizer(),
        unet=_unet(WIDTH),
        scheduler=_pndm() if prediction_type == "epsilon" else _ddim(prediction_type),
        safety_checker=_checker() if filtering else None,
        feature_extractor=transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        requires_safety_checker=filtering,
    )
    return _saved(pipeline, folder)


def sdxl(folder: Path) -> Path:
    """Stable Diffusion XL: two text encoders, the second one's pooled state, and the sizes."""
    torch.manual_seed(0)
    unet = _unet(
        2 * WIDTH,
        addition_embed_type="text_time",
        addition_time_embed_dim=4,
        projection_class_embeddings_input_dim=6 * 4 + WIDTH,
        use_linear_projection=True,
    )
    pipeline = diffusers.StableDiffusionXLPipeline(
        vae=_vae(4, 0.13025, force_upcast=True),
        text_encoder=transformers.CLIPTextModel(_clip_config()),
        text_encoder_2=transformers.CLIPTextModelWithProjection(_clip_config()),
        tokenizer=_clip_tokenizer(),
        tokenizer_2=_clip_tokenizer(pad="!"),
        unet=unet,
        scheduler=diffusers.EulerDiscreteScheduler(
            beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1, timestep_spacing="leading"
        ),
        add_watermarker=False,
    )
    return _saved(pipeline, folder)


def pixart(folder: Path) -> Path:
    """PixArt-Sigma: a transformer that says a variance too, told by T5."""
    torch.manual_seed(0)
    transformer = diffusers.PixArtTransformer2DModel(
        num_attention_heads=2,
        attention_head_dim=8,
        in_channels=4,
        out_channels=8,
        num_layers=1,
        cross_attention_dim=16,
        caption_channels=WIDTH,
        sample_size=LATENTS,
        patch_size=2,
        use_additional_conditions=False,
    )
    pipeline = diffusers.PixArtSigmaPipeline(
        tokenizer=_t5_tokenizer(),
        text_encoder=_t5(),
        vae=_vae(4, 0.13025),
        transformer=transformer,
        scheduler=diffusers.DPMSolverMultistepScheduler(beta_start=0.0001, beta_end=0.02, beta_schedule="linear"),
    )
    return _saved(pipeline, folder)


def deepfloyd(folder: Path, *, filtering: bool = False) -> Path:
    """IF's first stage: a UNet on pixels that says a variance too, told by T5; ``filtering`` as in ``stable_diffusion``."""
    torch.manual_seed(0)
    return _saved(diffusers.IFPipeline(**_deepfloyd_parts(filtering, sample_size=2 * LATENTS, in_channels=3)), folder)


def deepfloyd_enlarger(folder: Path, *, filtering: bool = False) -> Path:
    """IF's second stage: 32 pixels a side, of an image with noise and of how much; with a T5 of its own, as published."""
    torch.manual_seed(1)
    parts = _deepfloyd_parts(filtering, sample_size=4 * LATENTS, in_channels=6, class_embed_type="timestep")
    noising = diffusers.DDPMScheduler(beta_schedule="squaredcos_cap_v2")
    return _saved(diffusers.IFSuperResolutionPipeline(**parts, image_noising_scheduler=noising), folder)


def _deepfloyd_parts(filtering: bool, **unet_settings: Any) -> dict[str, Any]:
    unet = diffusers.UNet2DConditionModel(
        layers_per_block=1,
        block_out_channels=(8, 16),
        norm_num_groups=4,
        down_block_types=("ResnetDownsampleBlock2D", "SimpleCrossAttnDownBlock2D"),
        mid_block_type="UNetMidBlock2DSimpleCrossAttn",
        up_block_types=("SimpleCrossAttnUpBlock2D", "ResnetUpsampleBlock2D"),
        out_channels=6,
        # its norm has 32 groups
        cross_attention_dim=32,
        encoder_hid_dim=WIDTH,
        attention_head_dim=4,
        addition_embed_type="text",
        addition_embed_type_num_heads=2,
        cross_attention_norm="group_norm",
        resnet_time_scale_shift="scale_shift",
        act_fn="gelu",
        **unet_settings,
    )
    scheduler = diffusers.DDPMScheduler(
        beta_schedule="squaredcos_cap_v2",
        variance_type="learned_range",
        thresholding=True,
        dynamic_thresholding_ratio=0.95,
        sample_max_value=1.5,
    )
    checker = None
    if filtering:
        from diffusers.pipelines.deepfloyd_if.safety_checker import IFSafetyChecker

        checker = IFSafetyChecker(_seeing_config())
        torch.nn.init.constant_(checker.p_head.bias, 100)
    return {
        "tokenizer": _t5_tokenizer(),
        "text_encoder": _t5(),
        "unet": unet,
        "scheduler": scheduler,
        "safety_checker": checker,
        "feature_extractor": transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        "watermarker": None,
        "requires_safety_checker": filtering,
    }


def cache_on_hub(cache: Path, repository: str, folder: Path) -> Path:
    """Copy a saved pipeline to where the hub's cache has a repository at its commit ``abc``."""
    home = cache / f"models--{repository.replace('/', '--')}"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text("abc")
    return Path(shutil.copytree(folder, home / "snapshots" / "abc"))


def stable_diffusion_3(folder: Path) -> Path:
    """Stable Diffusion 3, which learned a flow; without T5, as its authors allow."""
    torch.manual_seed(0)
    transformer = diffusers.SD3Transformer2DModel(
        sample_size=LATENTS,
        patch_size=1,
        in_channels=16,
        num_layers=1,
        attention_head_dim=8,
        num_attention_heads=2,
        # T5's states, or zeros of their width
        joint_attention_dim=4096,
        caption_projection_dim=16,
        pooled_projection_dim=2 * WIDTH,
        out_channels=16,
    )
    pipeline = diffusers.StableDiffusion3Pipeline(
        transformer=transformer,
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=3.0),
        vae=_vae(16, 1.5305, shift_factor=0.0609),
        text_encoder=transformers.CLIPTextModelWithProjection(_clip_config()),
        tokenizer=_clip_tokenizer(),
        text_encoder_2=transformers.CLIPTextModelWithProjection(_clip_config()),
        tokenizer_2=_clip_tokenizer(),
        text_encoder_3=None,
        tokenizer_3=None,
    )
    return _saved(pipeline, folder)


def _saved(pipeline: Any, folder: Path) -> Path:
    pipeline.save_pretrained(folder, safe_serialization=True)
    return folder


def _unet(words: int, **further: Any) -> Any:
    return diffusers.UNet2DConditionModel(
        sample_size=LATENTS,
        layers_per_block=1,
        block_out_channels=(8, 16),
        norm_num_groups=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=words,
        attention_head_dim=4,
        **further,
    )


def _vae(channels: int, scale: float, **further: Any) -> Any:
    return diffusers.AutoencoderKL(
        down_block_types=("DownEncoderBlock2D", "DownEncoderBlock2D"),
        up_block_types=("UpDecoderBlock2D", "UpDecoderBlock2D"),
        block_out_channels=(8, 8),
        norm_num_groups=4,
        latent_channels=channels,
        sample_size=2 * LATENTS,
        scaling_factor=scale,
        **further,
    )


def _pndm() -> Any:
    return diffusers.PNDMScheduler(
        beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", skip_prk_steps=True, steps_offset=1
    )


def _ddim(prediction_type: str) -> Any:
    return diffusers.DDIMScheduler(
        beta_start=0.00085,
        beta_end=0.012,
        beta_schedule="scaled_linear",
        clip_sample=False,
        set_alpha_to_one=False,
        steps_offset=1,
        prediction_type=prediction_type,
    )


def _clip_tokenizer(pad: str = "<|endoftext|>") -> Any:
    """Letters, as the byte pairs of CLIP's tokenizer before any is joined; begin and end are the last two, as in CLIP's."""
    listed = ["!", *_LETTERS, *(f"{letter}</w>" for letter in ("!", *_LETTERS)), "<|startoftext|>", "<|endoftext|>"]
    return transformers.CLIPTokenizer(
        vocab={word: number for number, word in enumerate(listed)}, merges=[], pad_token=pad, model_max_length=77
    )


def _t5_tokenizer() -> Any:
    vocabulary = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0), *((letter, -3.0) for letter in _LETTERS)]
    return transformers.T5Tokenizer(vocab=vocabulary, extra_ids=0, model_max_length=77)


def _clip_config() -> Any:
    words = 2 * (len(_LETTERS) + 1) + 2
    return transformers.CLIPTextConfig(
        vocab_size=words,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        projection_dim=WIDTH,
        bos_token_id=words - 2,
        eos_token_id=words - 1,
        pad_token_id=words - 1,
    )


def _t5() -> Any:
    return transformers.T5EncoderModel(
        transformers.T5Config(
            vocab_size=len(_LETTERS) + 4,
            d_model=WIDTH,
            d_kv=8,
            d_ff=2 * WIDTH,
            num_layers=1,
            num_heads=2,
            feed_forward_proj="gated-gelu",
        )
    )


def _seeing_config() -> Any:
    seen = {
        "hidden_size": WIDTH,
        "intermediate_size": WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": 32,
        "patch_size": 16,
        "projection_dim": WIDTH,
    }
    return transformers.CLIPConfig(text_config=_clip_config().to_dict(), vision_config=seen, projection_dim=WIDTH)


def _checker() -> Any:
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker

    checker = StableDiffusionSafetyChecker(_seeing_config())
    # every cosine is above this
    torch.nn.init.constant_(checker.concept_embeds_weights, -2)
    return checker


def flux(folder: Path) -> Path:
    """FLUX.1: CLIP's pooled state and T5's states; a flow whose guidance is an input."""
    torch.manual_seed(0)
    transformer = diffusers.FluxTransformer2DModel(
        in_channels=16,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=8,
        num_attention_heads=2,
        joint_attention_dim=WIDTH,
        pooled_projection_dim=WIDTH,
        guidance_embeds=True,
        axes_dims_rope=(2, 2, 4),
    )
    pipeline = diffusers.FluxPipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=3.0, use_dynamic_shifting=True),
        vae=_vae(4, 0.3611, shift_factor=0.1159),
        text_encoder=transformers.CLIPTextModel(_clip_config()),
        tokenizer=_clip_tokenizer(),
        text_encoder_2=_t5(),
        tokenizer_2=_t5_tokenizer(),
        transformer=transformer,
    )
    return _saved(pipeline, folder)


def sana(folder: Path) -> Path:
    """Sana: a linear transformer on an autoencoder that makes sides 32 times smaller, told by Gemma 2."""
    torch.manual_seed(0)
    blocks = (8, 8, 8, 8, 8, 8)
    vae = diffusers.AutoencoderDC(
        latent_channels=4,
        encoder_block_types="ResBlock",
        decoder_block_types="ResBlock",
        encoder_block_out_channels=blocks,
        decoder_block_out_channels=blocks,
        encoder_layers_per_block=(0, 1, 1, 1, 1, 1),
        decoder_layers_per_block=(0, 1, 1, 1, 1, 1),
        encoder_qkv_multiscales=((),) * 6,
        decoder_qkv_multiscales=((),) * 6,
        scaling_factor=0.41407,
    )
    transformer = diffusers.SanaTransformer2DModel(
        in_channels=4,
        out_channels=4,
        num_attention_heads=2,
        attention_head_dim=8,
        num_layers=1,
        num_cross_attention_heads=2,
        cross_attention_head_dim=8,
        cross_attention_dim=16,
        caption_channels=WIDTH,
        sample_size=32,
    )
    config = transformers.Gemma2Config(
        vocab_size=len(_LETTERS) + 6,
        hidden_size=WIDTH,
        intermediate_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
    )
    pipeline = diffusers.SanaPipeline(
        tokenizer=_gemma_tokenizer(),
        text_encoder=transformers.Gemma2Model(config),
        vae=vae,
        transformer=transformer,
        scheduler=diffusers.DPMSolverMultistepScheduler(
            prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0
        ),
    )
    return _saved(pipeline, folder)


def qwen_image(folder: Path) -> Path:
    """Qwen-Image: a transformer on a video's autoencoder, told by Qwen2.5-VL; guided by a second pass."""
    torch.manual_seed(0)
    listed = sorted({*_LETTERS, *pre_tokenizers.ByteLevel.alphabet()})
    words = {word: number for number, word in enumerate([*listed, "<|endoftext|>", "<|im_start|>", "<|im_end|>"])}
    tokenizer = transformers.Qwen2Tokenizer(vocab=words, merges=[])
    language = {
        "vocab_size": len(words),
        "hidden_size": WIDTH,
        "intermediate_size": WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]},
    }
    sight = {"depth": 1, "hidden_size": WIDTH, "intermediate_size": WIDTH, "num_heads": 2, "out_hidden_size": WIDTH}
    reader = transformers.Qwen2_5_VLForConditionalGeneration(
        transformers.Qwen2_5_VLConfig(text_config=language, vision_config=sight)
    )
    transformer = diffusers.QwenImageTransformer2DModel(
        in_channels=16,
        out_channels=4,
        num_layers=1,
        attention_head_dim=8,
        num_attention_heads=2,
        joint_attention_dim=WIDTH,
        axes_dims_rope=(2, 2, 4),
    )
    pipeline = diffusers.QwenImagePipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(shift=1.0, use_dynamic_shifting=True),
        vae=diffusers.AutoencoderKLQwenImage(
            base_dim=8,
            z_dim=4,
            dim_mult=[1, 1],
            num_res_blocks=1,
            temperal_downsample=[True],
            latents_mean=[0.0] * 4,
            latents_std=[1.0] * 4,
        ),
        text_encoder=reader,
        tokenizer=tokenizer,
        transformer=transformer,
    )
    return _saved(pipeline, folder)


def _gemma_tokenizer() -> Any:
    words = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "▁", *_LETTERS]
    return transformers.GemmaTokenizer(vocab={word: number for number, word in enumerate(words)}, merges=[])
