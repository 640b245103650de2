"""BLIP trained on VQA (Li et al., 2022), and the playground's model, which is a small one of the same architecture.

A text encoder reads the question and looks at the image (cross attention), a text decoder says the answer. What the encoder
looks at (keys and values of each layer) is computed once an image. A question is read as transformers' processor makes it
(its own tokenizer's special tokens; the authors' code puts [ENC] in the place of [CLS], the published conversion does not);
an answer is ``bos_token_id``, its tokens, ``sep_token_id``, all of the configuration.

``answering`` ``choices`` is the authors' "rank" inference over the choices: the sum of the logarithms of the tokens'
probabilities (theirs are smoothed by 0.1, as in training; ours are not). ``free`` is their "generate".

Attention is computed in one step each, an eighth faster on the CPU: transformers (5.23) writes all weights of attention out,
and copies what is looked at for every question about an image. The sums are the same but for the last digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import torch
from PIL import Image
from torch.nn.functional import scaled_dot_product_attention
from transformers import BlipForQuestionAnswering
from transformers.cache_utils import EncoderDecoderCache

from scorers.models.pretrained import to_device
from scorers.models.vqa.model import (
    CHOICES,
    FREE,
    KeysAndValues,
    VqaModel,
    cross_attention_cache,
    empty_states,
    pad_tokens,
    sum_log_probabilities,
)


def fuse_attention(model: Any) -> None:
    """Have a ``BlipForQuestionAnswering`` do so from now on."""
    for layer in model.vision_model.encoder.layers:
        layer.self_attn.forward = partial(_patch_attention, layer.self_attn)
    for text in (model.text_encoder, model.text_decoder.bert):
        for layer in text.encoder.layer:
            attention = layer.crossattention.self
            attention.forward = partial(_word_attention, attention, attention.forward)


def _patch_attention(attention: Any, hidden_states: torch.Tensor, **_: Any) -> tuple[torch.Tensor, None]:
    """Of patches, n x P x d, what they see in each other."""
    n, length, _d = hidden_states.shape
    shape = (n, length, 3, attention.num_heads, attention.head_dim)
    queries, keys, values = attention.qkv(hidden_states).view(shape).permute(2, 0, 3, 1, 4)
    attended = scaled_dot_product_attention(queries, keys, values, scale=attention.scale)
    return attention.projection(attended.transpose(1, 2).reshape(n, length, -1)), None


def _word_attention(
    attention: Any, forward: Any, states: torch.Tensor, attention_mask: Any = None, **named: Any
) -> tuple[torch.Tensor, Any]:
    """Of words, n x L x d, what they see in what was computed before; else as ``forward`` does."""
    cache = named.get("past_key_values")
    if not (isinstance(cache, EncoderDecoderCache) and cache.is_updated.get(attention.layer_idx)):
        output: tuple[torch.Tensor, Any] = forward(states, attention_mask=attention_mask, **named)
        return output
    known = cache.cross_attention_cache.layers[attention.layer_idx]
    n, length, _d = states.shape
    queries = attention.query(states).view(n, length, -1, attention.attention_head_size).transpose(1, 2)
    mask = named.get("encoder_attention_mask")
    attended = scaled_dot_product_attention(
        queries, known.keys, known.values, attn_mask=attention_mask if mask is None else mask
    )
    return attended.transpose(1, 2).reshape(n, length, -1), None


BEAMS: Final = 3
LONGEST: Final = 10
"""Of free answers: the authors' search, and tokens at most."""

_ANSWERS: Final = 256
"""That go through the decoder at once."""


@dataclass(frozen=True, slots=True, eq=False)
class EncodedQuestions:
    """Questions as the encoder leaves them: states (n x L x d), and which of the L are there."""

    states: torch.Tensor
    there: torch.Tensor


class Blip(VqaModel):
    """See ``VqaModel``; ``answering`` is ``choices`` or ``free``."""

    def __init__(self, name: str, device: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, device, settings, (CHOICES, FREE))
        self._load(BlipForQuestionAnswering)
        mask_cross_attention(self._model)
        fuse_attention(self._model)
        self._tokenizer, self._process = self._processor.tokenizer, self._processor.image_processor
        self._config = self._model.config.text_config
        self._most = self._config.max_position_embeddings

    def _look(self, images: Sequence[Image.Image]) -> KeysAndValues:
        pixels = to_device(self._process(images=list(images), return_tensors="pt")["pixel_values"], self.device)
        features = self._model.vision_model(pixel_values=pixels).last_hidden_state
        self._soundness.check(pixels, features)
        return cross_attention_of(self._model.text_encoder, features)

    def _weigh(
        self, seen: KeysAndValues, rows: Sequence[int], prompts: Sequence[str], answers: Sequence[Sequence[str]]
    ) -> list[list[float]]:
        read = self._read(seen, rows, prompts)
        known = cross_attention_of(self._model.text_decoder.bert, read.states)
        tokens = [[self._answer_tokens(answer) for answer in some] for some in answers]
        return self._weigh_tokens(answers, tokens, partial(self._weighed, known, read.there), _ANSWERS)

    def _weighed(
        self, known: KeysAndValues, there: torch.Tensor, owners: Sequence[int], answer_tokens: Sequence[list[int]]
    ) -> list[float]:
        """Of answers in tokens the logarithms of their probabilities; ``owners``: the question of each."""
        ids, shown = pad_tokens(answer_tokens, self._config.pad_token_id, self.device)
        inner = self._model.text_decoder.bert(
            input_ids=ids[:, :-1],
            attention_mask=shown[:, :-1],
            encoder_hidden_states=empty_states(known, len(answer_tokens)),
            encoder_attention_mask=there[list(owners)],
            past_key_values=cross_attention_cache(known, owners),
            is_decoder=True,
        ).last_hidden_state
        where = shown[:, 1:].bool()
        return sum_log_probabilities(self._model.text_decoder.cls(inner[where]), ids[:, 1:], where)

    def _say(self, seen: KeysAndValues, rows: Sequence[int], prompts: Sequence[str]) -> list[str]:
        read = self._read(seen, rows, prompts)
        ids = self._model.text_decoder.generate(
            input_ids=torch.full((len(rows), 1), self._config.bos_token_id, device=self.device),
            eos_token_id=self._config.sep_token_id,
            pad_token_id=self._config.pad_token_id,
            encoder_hidden_states=read.states,
            encoder_attention_mask=read.there,
            num_beams=BEAMS,
            do_sample=False,
            max_new_tokens=LONGEST,
        )
        return [text.strip() for text in self._tokenizer.batch_decode(ids[:, 1:], skip_special_tokens=True)]

    def _read(self, seen: KeysAndValues, rows: Sequence[int], prompts: Sequence[str]) -> EncodedQuestions:
        listed = self._tokenizer(list(prompts), return_token_type_ids=False)["input_ids"]
        self._fits(listed, prompts, self._most)
        ids, there = pad_tokens(listed, self._config.pad_token_id, self.device)
        states = self._model.text_encoder(
            input_ids=ids,
            attention_mask=there,
            encoder_hidden_states=empty_states(seen, len(rows)),
            past_key_values=cross_attention_cache(seen, rows),
        ).last_hidden_state
        return EncodedQuestions(states, there)

    def answer_length(self, answer: str) -> int:
        """See ``Vqa``; the end counts."""
        return len(self._answer_tokens(answer)) - 1

    def _answer_tokens(self, answer: str) -> list[int]:
        inner = self._tokenizer(answer, add_special_tokens=False)["input_ids"]
        self._fits([inner], [answer], self._most - 1)
        return [self._config.bos_token_id, *inner, self._config.sep_token_id]


def mask_cross_attention(model: Any) -> None:
    """Have the decoder look only at tokens of its question, not at what fills up shorter ones.

    transformers (5.23) makes the mask of cross attention and then drops it (``BlipTextAttention`` hands it on as the mask of
    self attention, which is not read there), so that an answer would depend on the questions beside it. Without effect
    where nothing is filled up, and where the mask does arrive.
    """
    for layer in model.text_decoder.bert.encoder.layer:
        attention = layer.crossattention.self
        attention.forward = partial(_masked_forward, attention.forward)


def _masked_forward(forward: Any, states: torch.Tensor, attention_mask: Any = None, **named: Any) -> Any:
    if named.get("encoder_attention_mask") is None:
        named["encoder_attention_mask"] = attention_mask
    return forward(states, attention_mask=attention_mask, **named)


def cross_attention_of(text: Any, states: torch.Tensor) -> KeysAndValues:
    """What each layer's cross attention looks at, of states n x places x d."""
    layers = []
    for layer in text.encoder.layer:
        attention = layer.crossattention.self
        shape = (*states.shape[:2], -1, attention.attention_head_size)
        keys, values = (make(states).view(shape).transpose(1, 2) for make in (attention.key, attention.value))
        layers.append((keys, values))
    return layers
