"""OpenMMLab's Mask2Former restated from mmdet 2.27's source, on a state dict of its own names.

Of mmdet ``backbones/swin.py``, ``utils/transformer.py`` (PatchEmbed, PatchMerging), ``plugins/msdeformattn_pixel_decoder.py``,
``dense_heads/mask2former_head.py`` and ``utils/positional_encoding.py``; of mmcv ``multi_scale_deform_attn.py`` and
``bricks/transformer.py``. Functions of a state dict, no modules: what a name means is said where it is used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import torch
from torch.nn import functional

Tensor = Any  # a torch.Tensor, which mypy does not follow
State = dict[str, Tensor]

EMBED, WINDOW, DEPTHS, HEADS = 8, 4, (2, 1, 3, 1), (1, 2, 2, 4)
SIZE, MASK_SIZE, QUERIES, ATTENTION_HEADS, POINTS, LEVELS = 32, 64, 12, 4, 4, 3
ENCODER_LAYERS, DECODER_LAYERS, CLASSES = 2, 4, 80
STRIDES: Final = (4, 8, 16, 32)


def random_state(seed: int = 0) -> State:
    """Of the published layout, small, with weights that make every part matter."""
    drawn = torch.Generator().manual_seed(seed)
    state: State = {}

    def linear(name: str, out: int, into: int, *kernel: int, bias: bool = True) -> None:
        fan = into * math.prod(kernel)
        state[f"{name}.weight"] = torch.randn(out, into, *kernel, generator=drawn) * 1.5 / fan**0.5
        if bias:
            state[f"{name}.bias"] = torch.randn(out, generator=drawn) * 0.3

    def norm(name: str, size: int) -> None:
        state[f"{name}.weight"] = 1 + 0.3 * torch.randn(size, generator=drawn)
        state[f"{name}.bias"] = 0.3 * torch.randn(size, generator=drawn)

    def ffn(name: str, size: int, inner: int) -> None:
        linear(f"{name}.layers.0.0", inner, size)
        linear(f"{name}.layers.1", size, inner)

    linear("backbone.patch_embed.projection", EMBED, 3, 4, 4)
    norm("backbone.patch_embed.norm", EMBED)
    for stage, (depth, heads) in enumerate(zip(DEPTHS, HEADS, strict=True)):
        size = EMBED * 2**stage
        for block in range(depth):
            name = f"backbone.stages.{stage}.blocks.{block}"
            norm(f"{name}.norm1", size)
            state[f"{name}.attn.w_msa.relative_position_bias_table"] = torch.randn(
                (2 * WINDOW - 1) ** 2, heads, generator=drawn
            )
            state[f"{name}.attn.w_msa.relative_position_index"] = relative_index()
            linear(f"{name}.attn.w_msa.qkv", 3 * size, size)
            linear(f"{name}.attn.w_msa.proj", size, size)
            norm(f"{name}.norm2", size)
            ffn(f"{name}.ffn", size, 4 * size)
        if stage < 3:
            norm(f"backbone.stages.{stage}.downsample.norm", 4 * size)
            linear(f"backbone.stages.{stage}.downsample.reduction", 2 * size, 4 * size, bias=False)
        norm(f"backbone.norm{stage}", size)
    head = "panoptic_head"
    pixel = f"{head}.pixel_decoder"
    for level in range(LEVELS):
        linear(f"{pixel}.input_convs.{level}.conv", SIZE, EMBED * 2 ** (3 - level), 1, 1)
        norm(f"{pixel}.input_convs.{level}.gn", SIZE)
    for layer in range(ENCODER_LAYERS):
        name = f"{pixel}.encoder.layers.{layer}"
        linear(f"{name}.attentions.0.sampling_offsets", ATTENTION_HEADS * LEVELS * POINTS * 2, SIZE)
        linear(f"{name}.attentions.0.attention_weights", ATTENTION_HEADS * LEVELS * POINTS, SIZE)
        linear(f"{name}.attentions.0.value_proj", SIZE, SIZE)
        linear(f"{name}.attentions.0.output_proj", SIZE, SIZE)
        ffn(f"{name}.ffns.0", SIZE, 48)
        norm(f"{name}.norms.0", SIZE)
        norm(f"{name}.norms.1", SIZE)
    state[f"{pixel}.level_encoding.weight"] = torch.randn(LEVELS, SIZE, generator=drawn)
    linear(f"{pixel}.lateral_convs.0.conv", SIZE, EMBED, 1, 1, bias=False)
    norm(f"{pixel}.lateral_convs.0.gn", SIZE)
    linear(f"{pixel}.output_convs.0.conv", SIZE, SIZE, 3, 3, bias=False)
    norm(f"{pixel}.output_convs.0.gn", SIZE)
    linear(f"{pixel}.mask_feature", MASK_SIZE, SIZE, 1, 1)
    for layer in range(DECODER_LAYERS):
        name = f"{head}.transformer_decoder.layers.{layer}"
        for attention in range(2):
            linear(f"{name}.attentions.{attention}.attn.in_proj", 3 * SIZE, SIZE)
            for kind in ("weight", "bias"):
                state[f"{name}.attentions.{attention}.attn.in_proj_{kind}"] = state.pop(
                    f"{name}.attentions.{attention}.attn.in_proj.{kind}"
                )
            linear(f"{name}.attentions.{attention}.attn.out_proj", SIZE, SIZE)
        ffn(f"{name}.ffns.0", SIZE, 40)
        for k in range(3):
            norm(f"{name}.norms.{k}", SIZE)
    norm(f"{head}.transformer_decoder.post_norm", SIZE)
    for name, n in (("query_embed", QUERIES), ("query_feat", QUERIES), ("level_embed", LEVELS)):
        state[f"{head}.{name}.weight"] = torch.randn(n, SIZE, generator=drawn)
    linear(f"{head}.cls_embed", CLASSES + 1, SIZE)
    linear(f"{head}.mask_embed.0", SIZE, SIZE)
    linear(f"{head}.mask_embed.2", SIZE, SIZE)
    linear(f"{head}.mask_embed.4", MASK_SIZE, SIZE)
    # logits of masks as large as those of classes
    state[f"{head}.mask_embed.4.weight"] *= 0.1
    return state


def relative_index() -> Tensor:
    """``WindowMSA``: ``double_step_seq``, added to its own transpose, the second axis turned round."""
    rows, columns = torch.arange(0, (2 * WINDOW - 1) * WINDOW, 2 * WINDOW - 1), torch.arange(WINDOW)
    places = (rows[:, None] + columns[None]).reshape(1, -1)
    return (places + places.T).flip(1).contiguous()


def forward(state: State, pixels: Tensor) -> tuple[Tensor, Tensor]:
    """Of B x 3 x H x W the last layer's classes (B x Q x (K + 1)) and masks (B x Q x H/4 x W/4), as logits."""
    mask_features, memories = _pixel_decoder(state, _swin(state, pixels))
    return _head(state, mask_features, memories)


def _linear(state: State, name: str, x: Tensor) -> Tensor:
    return functional.linear(x, state[f"{name}.weight"], state.get(f"{name}.bias"))


def _norm(state: State, name: str, x: Tensor) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:], state[f"{name}.weight"], state[f"{name}.bias"], 1e-5)


def _conv(state: State, name: str, x: Tensor, padding: int = 0) -> Tensor:
    """``ConvModule``: convolution, then GroupNorm of 32 groups."""
    x = functional.conv2d(x, state[f"{name}.conv.weight"], state.get(f"{name}.conv.bias"), padding=padding)
    return functional.group_norm(x, 32, state[f"{name}.gn.weight"], state[f"{name}.gn.bias"], 1e-5)


# Swin


def _swin(state: State, pixels: Tensor) -> list[Tensor]:
    x = functional.conv2d(
        pixels, state["backbone.patch_embed.projection.weight"], state["backbone.patch_embed.projection.bias"], stride=4
    )
    height, width = x.shape[2:]
    x = _norm(state, "backbone.patch_embed.norm", x.flatten(2).transpose(1, 2))
    outs = []
    for stage, (depth, heads) in enumerate(zip(DEPTHS, HEADS, strict=True)):
        for block in range(depth):
            name = f"backbone.stages.{stage}.blocks.{block}"
            shift = 0 if block % 2 == 0 else WINDOW // 2
            x = x + _shift_window_msa(
                state, f"{name}.attn.w_msa", _norm(state, f"{name}.norm1", x), height, width, heads, shift
            )
            inner = functional.gelu(_linear(state, f"{name}.ffn.layers.0.0", _norm(state, f"{name}.norm2", x)))
            x = x + _linear(state, f"{name}.ffn.layers.1", inner)
        out = _norm(state, f"backbone.norm{stage}", x)
        outs.append(out.view(len(x), height, width, -1).permute(0, 3, 1, 2).contiguous())
        if stage < 3:
            x, height, width = _patch_merging(state, f"backbone.stages.{stage}.downsample", x, height, width)
    return outs


def _patch_merging(state: State, name: str, x: Tensor, height: int, width: int) -> tuple[Tensor, int, int]:
    maps = x.view(len(x), height, width, -1).permute(0, 3, 1, 2)
    maps = functional.pad(maps, (0, width % 2, 0, height % 2))
    merged = functional.unfold(maps, kernel_size=2, stride=2).transpose(1, 2)
    return _linear(state, f"{name}.reduction", _norm(state, f"{name}.norm", merged)), (height + 1) // 2, (width + 1) // 2


def _windows(x: Tensor) -> Tensor:
    b, h, w, c = x.shape
    x = x.view(b, h // WINDOW, WINDOW, w // WINDOW, WINDOW, c)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, WINDOW * WINDOW, c)


def _shift_window_msa(state: State, name: str, x: Tensor, height: int, width: int, heads: int, shift: int) -> Tensor:
    b, _, c = x.shape
    x = functional.pad(x.view(b, height, width, c), (0, 0, 0, -width % WINDOW, 0, -height % WINDOW))
    padded_height, padded_width = x.shape[1:3]
    mask = None
    if shift:
        x = torch.roll(x, shifts=(-shift, -shift), dims=(1, 2))
        regions = torch.zeros(1, padded_height, padded_width, 1)
        slices = (slice(0, -WINDOW), slice(-WINDOW, -shift), slice(-shift, None))
        for k, (rows, columns) in enumerate((rows, columns) for rows in slices for columns in slices):
            regions[:, rows, columns] = k
        kinds = _windows(regions)[..., 0]
        mask = (kinds[:, None] - kinds[:, :, None]).ne(0) * -100.0
    windows = _windows(x)
    n, places, _ = windows.shape
    query, key, value = _linear(state, f"{name}.qkv", windows).reshape(n, places, 3, heads, c // heads).permute(2, 0, 3, 1, 4)
    attention = query * (c // heads) ** -0.5 @ key.transpose(-2, -1)
    table = state[f"{name}.relative_position_bias_table"]
    attention = attention + table[relative_index().view(-1)].view(places, places, heads).permute(2, 0, 1)
    if mask is not None:
        attention = (attention.view(b, len(mask), heads, places, places) + mask[None, :, None]).view(n, heads, places, places)
    reshape = (attention.softmax(-1) @ value).transpose(1, 2).reshape(n, places, c)
    reshape = _linear(state, f"{name}.proj", reshape).view(
        b, padded_height // WINDOW, padded_width // WINDOW, WINDOW, WINDOW, c
    )
    reshape = reshape.permute(0, 1, 3, 2, 4, 5).reshape(b, padded_height, padded_width, c)
    if shift:
        reshape = torch.roll(reshape, shifts=(shift, shift), dims=(1, 2))
    return reshape[:, :height, :width].reshape(b, height * width, c)


# the pixel decoder


def _positions(b: int, height: int, width: int) -> Tensor:
    """``SinePositionalEncoding(num_feats=SIZE // 2, normalize=True)`` of a mask without padding: B x SIZE x H x W."""
    half = SIZE // 2
    there = torch.ones(b, height, width)
    y, x = there.cumsum(1), there.cumsum(2)
    y = y / (y[:, -1:] + 1e-6) * 2 * math.pi
    x = x / (x[:, :, -1:] + 1e-6) * 2 * math.pi
    steps = 10000 ** (2 * (torch.arange(half) // 2) / half)
    parts = []
    for places in (y, x):
        angles = places[..., None] / steps
        parts.append(torch.stack((angles[..., 0::2].sin(), angles[..., 1::2].cos()), 4).view(b, height, width, -1))
    return torch.cat(parts, 3).permute(0, 3, 1, 2)


def _pixel_decoder(state: State, features: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
    name = "panoptic_head.pixel_decoder"
    inputs, positions, shapes, points = [], [], [], []
    for level in range(LEVELS):
        stride, maps = STRIDES[3 - level], features[3 - level]
        height, width = maps.shape[2:]
        inputs.append(_conv(state, f"{name}.input_convs.{level}", maps).flatten(2).transpose(1, 2))
        place = _positions(len(maps), height, width) + state[f"{name}.level_encoding.weight"][level].view(1, -1, 1, 1)
        positions.append(place.flatten(2).transpose(1, 2))
        shapes.append((height, width))
        # MlvlPointGenerator: the middle of each cell in pixels
        y, x = torch.meshgrid((torch.arange(height) + 0.5) * stride, (torch.arange(width) + 0.5) * stride, indexing="ij")
        points.append(torch.stack((x, y), -1).view(-1, 2) / (torch.tensor([[width, height]]) * stride))
    x, position = torch.cat(inputs, 1), torch.cat(positions, 1)
    reference = torch.cat(points)[None, :, None].repeat(len(x), 1, LEVELS, 1)
    for layer in range(ENCODER_LAYERS):
        inner = f"{name}.encoder.layers.{layer}"
        x = _norm(state, f"{inner}.norms.0", x + _deformable(state, f"{inner}.attentions.0", x, position, reference, shapes))
        x = _norm(state, f"{inner}.norms.1", x + _ffn(state, f"{inner}.ffns.0", x))
    outs = [
        some.transpose(1, 2).reshape(len(x), SIZE, *shape)
        for some, shape in zip(x.split([h * w for h, w in shapes], 1), shapes, strict=True)
    ]
    lateral = _conv(state, f"{name}.lateral_convs.0", features[0])
    y = lateral + functional.interpolate(outs[-1], size=lateral.shape[2:], mode="bilinear", align_corners=False)
    outs.append(_conv(state, f"{name}.output_convs.0", y, padding=1).relu())
    mask = functional.conv2d(outs[-1], state[f"{name}.mask_feature.weight"], state[f"{name}.mask_feature.bias"])
    return mask, outs[:LEVELS]


def _ffn(state: State, name: str, x: Tensor) -> Tensor:
    return _linear(state, f"{name}.layers.1", _linear(state, f"{name}.layers.0.0", x).relu())


def _deformable(
    state: State, name: str, x: Tensor, position: Tensor, reference: Tensor, shapes: Sequence[tuple[int, int]]
) -> Tensor:
    """``MultiScaleDeformableAttention`` by ``multi_scale_deformable_attn_pytorch``."""
    b, n, _ = x.shape
    queries = x + position
    values = _linear(state, f"{name}.value_proj", x).view(b, n, ATTENTION_HEADS, -1)
    offsets = _linear(state, f"{name}.sampling_offsets", queries).view(b, n, ATTENTION_HEADS, LEVELS, POINTS, 2)
    weights = _linear(state, f"{name}.attention_weights", queries).view(b, n, ATTENTION_HEADS, LEVELS * POINTS).softmax(-1)
    sizes = torch.tensor([(w, h) for h, w in shapes])
    grids = 2 * (reference[:, :, None, :, None] + offsets / sizes[None, None, None, :, None]) - 1
    sampled = []
    for level, (some, (h, w)) in enumerate(zip(values.split([h * w for h, w in shapes], 1), shapes, strict=True)):
        maps = some.flatten(2).transpose(1, 2).reshape(b * ATTENTION_HEADS, -1, h, w)
        grid = grids[:, :, :, level].transpose(1, 2).flatten(0, 1)
        sampled.append(functional.grid_sample(maps, grid, mode="bilinear", padding_mode="zeros", align_corners=False))
    shares = weights.transpose(1, 2).reshape(b * ATTENTION_HEADS, 1, n, LEVELS * POINTS)
    transpose = (torch.stack(sampled, -2).flatten(-2) * shares).sum(-1).view(b, SIZE, n).transpose(1, 2)
    return _linear(state, f"{name}.output_proj", transpose)


# the head


def _head(state: State, mask_features: Tensor, memories: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    b = len(mask_features)
    values = [
        maps.flatten(2).transpose(1, 2) + state["panoptic_head.level_embed.weight"][level]
        for level, maps in enumerate(memories)
    ]
    positions = [_positions(b, *maps.shape[2:]).flatten(2).transpose(1, 2) for maps in memories]
    queries = state["panoptic_head.query_feat.weight"][None].repeat(b, 1, 1)
    places = state["panoptic_head.query_embed.weight"][None].repeat(b, 1, 1)
    classes, masks, hidden = _predict(state, queries, mask_features, memories[0].shape[2:])
    for layer in range(DECODER_LAYERS):
        level = layer % LEVELS
        hidden[torch.where(hidden.sum(-1) == hidden.shape[-1])] = False
        name = f"panoptic_head.transformer_decoder.layers.{layer}"
        keys = values[level] + positions[level]
        looked = _attention(state, f"{name}.attentions.0.attn", queries + places, keys, values[level], hidden)
        queries = _norm(state, f"{name}.norms.0", queries + looked)
        requested = _attention(state, f"{name}.attentions.1.attn", queries + places, queries + places, queries, None)
        queries = _norm(state, f"{name}.norms.1", queries + requested)
        queries = _norm(state, f"{name}.norms.2", queries + _ffn(state, f"{name}.ffns.0", queries))
        classes, masks, hidden = _predict(state, queries, mask_features, memories[(layer + 1) % LEVELS].shape[2:])
    return classes, masks


def _predict(state: State, queries: Tensor, mask_features: Tensor, size: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    """``_forward_head``: classes, masks, and where each query of each head is not to look."""
    queries = _norm(state, "panoptic_head.transformer_decoder.post_norm", queries)
    inner = queries
    for k in (0, 2, 4):
        inner = _linear(state, f"panoptic_head.mask_embed.{k}", inner)
        inner = inner.relu() if k < 4 else inner
    masks = torch.einsum("bqc,bchw->bqhw", inner, mask_features)
    small = functional.interpolate(masks, tuple(size), mode="bilinear", align_corners=False)
    small = small.flatten(2).unsqueeze(1).repeat((1, ATTENTION_HEADS, 1, 1)).flatten(0, 1)
    return _linear(state, "panoptic_head.cls_embed", queries), masks, small.sigmoid() < 0.5


def _attention(state: State, name: str, query: Tensor, key: Tensor, value: Tensor, hidden: Tensor | None) -> Tensor:
    """``nn.MultiheadAttention``; ``hidden``: (B * heads) x Q x K, where not to look."""
    said, _ = functional.multi_head_attention_forward(
        query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), SIZE, ATTENTION_HEADS,
        state[f"{name}.in_proj_weight"], state[f"{name}.in_proj_bias"], None, None, False, 0.0,
        state[f"{name}.out_proj.weight"], state[f"{name}.out_proj.bias"], training=False, attn_mask=hidden,
    )  # fmt: skip
    return said.transpose(0, 1)
