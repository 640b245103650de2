"""Models that chat about images: the published architectures, small and with random weights, saved as the real ones are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from tests.scorers.models.vqa.tiny_vqa_models import saved, seeded

QWEN: Final = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{% for part in message.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}{% endif %}{% endfor %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""As Qwen3-VL's, without tools and videos."""
THINKING: Final = QWEN.replace(
    "assistant\n{% endif %}",
    "assistant\n{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}",
)
"""As Qwen3.5's: it would think aloud if it were not told otherwise."""
SMOL: Final = (
    "<|im_start|>{% for message in messages %}{{ message.role | capitalize }}{% if message.content[0].type == 'image' %}:"
    "{% else %}: {% endif %}{% for part in message.content %}{% if part.type == 'image' %}<image>{% else %}{{ part.text }}"
    "{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %}"
)
"""As SmolVLM2's: a reply begins with a space."""
MARKS: Final = ("<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
SMOL_MARKS: Final = ("<|im_start|>", "<end_of_utterance>", "<image>", "<fake_token_around_image>", "<global-img>", "<video>")


def letters(marks: Sequence[str], joined: Sequence[str] = ()) -> Any:
    """Byte by byte, as GPT-2's without merges but for ``joined``: letters that go with a space before them."""
    listed = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *(f"Ġ{one}" for one in joined)]
    inner = Tokenizer(models.BPE({token: k for k, token in enumerate(listed)}, [("Ġ", one) for one in joined]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token=marks[1], pad_token=marks[1])
    made.add_special_tokens({"additional_special_tokens": list(marks)})
    return made


def qwen(folder: Path, template: str = QWEN, joined: Sequence[str] = ()) -> Path:
    from transformers import (
        Qwen2VLImageProcessor,
        Qwen3VLConfig,
        Qwen3VLForConditionalGeneration,
        Qwen3VLProcessor,
        Qwen3VLVideoProcessor,
    )

    tokenizer = letters(MARKS, joined)
    start, end, image, video = (tokenizer.convert_tokens_to_ids(mark) for mark in MARKS[2:])
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1], "mrope_interleaved": True}
    text = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 4096,
        "rope_parameters": rope,
    }  # fmt: skip
    vision = {
        "depth": 2, "hidden_size": 32, "intermediate_size": 32, "num_heads": 4, "patch_size": 16, "out_hidden_size": 32,
        "num_position_embeddings": 64, "deepstack_visual_indexes": [0],
    }  # fmt: skip
    config = Qwen3VLConfig(
        text_config=text, vision_config=vision, image_token_id=image, video_token_id=video, vision_start_token_id=start,
        vision_end_token_id=end, tie_word_embeddings=False,
    )  # fmt: skip
    sized = {"patch_size": 16, "merge_size": 2, "temporal_patch_size": 2}
    processor = Qwen3VLProcessor(
        Qwen2VLImageProcessor(**sized), tokenizer, Qwen3VLVideoProcessor(**sized), chat_template=template
    )
    processor.save_pretrained(folder)
    return saved(seeded(Qwen3VLForConditionalGeneration, config), folder)


def smol(folder: Path, joined: Sequence[str] = (*ascii_uppercase, "y", "n")) -> Path:
    from transformers import (
        SmolVLMConfig,
        SmolVLMForConditionalGeneration,
        SmolVLMImageProcessor,
        SmolVLMProcessor,
        SmolVLMVideoProcessor,
    )

    tokenizer = letters(SMOL_MARKS, joined)
    vision = {
        "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 64,
        "patch_size": 16,
    }  # fmt: skip
    text = {
        "model_type": "llama", "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 4096, "pad_token_id": 0,
    }  # fmt: skip
    image = tokenizer.convert_tokens_to_ids("<image>")
    config = SmolVLMConfig(text_config=text, vision_config=vision, image_token_id=image, scale_factor=2, pad_token_id=0)
    sized = {"size": {"longest_edge": 128}, "max_image_size": {"longest_edge": 64}}
    processor = SmolVLMProcessor(
        SmolVLMImageProcessor(**sized), tokenizer, SmolVLMVideoProcessor(**sized), image_seq_len=4, chat_template=SMOL
    )
    processor.save_pretrained(folder)
    return saved(seeded(SmolVLMForConditionalGeneration, config), folder)
