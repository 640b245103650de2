"""Deformable attention on the CPU, several times faster than by ``grid_sample``: half of Mask2Former's time goes there.

Each query takes a weighted sum of values at places between the grid's points, that is of four values a place. ``grid_sample``
first writes every sampled value down, and reads the channels of one place from as many corners of the memory; as rows of a
table they lie side by side, and ``embedding_bag`` adds them up at once. The sums are the same but for the last digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import torch
from torch.nn.functional import embedding_bag


def sample(
    values: torch.Tensor, shapes: Sequence[tuple[int, int]], places: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Weighted sums of values between the points of grids: bilinear, zero outside, as Zhu et al. (2021) define it.

    Args:
        values: B x S x H x D, the points of all grids in turn, row by row; H heads.
        shapes: height and width of each of the L grids.
        places: B x Q x H x L x P x 2, x and y as shares of the grid's width and height.
        weights: B x Q x H x L x P.

    Returns:
        B x Q x (H * D).
    """
    n_batch, n_points, n_heads, size = values.shape
    n_queries = places.shape[1]
    head = torch.arange(n_heads, device=values.device, dtype=torch.int32)[None, None, :, None]
    first = torch.arange(n_batch, device=values.device, dtype=torch.int32)[:, None, None, None] * n_points
    rows: list[torch.Tensor] = []
    shares: list[torch.Tensor] = []
    for level, (height, width) in enumerate(shapes):
        x, y = (places[:, :, :, level, :, k] * length - 0.5 for k, length in enumerate((width, height)))
        left, top = x.floor(), y.floor()
        for column, across in ((left, 1 - (x - left)), (left + 1, x - left)):
            for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
                inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
                # multiplied, not chosen: what is no number stays none
                shares.append(weights[:, :, :, level] * across * down * inside)
                point = (row.clamp(0, height - 1) * width + column.clamp(0, width - 1)).to(torch.int32)
                rows.append((first + point) * n_heads + head)
        first = first + height * width
    table = values.reshape(-1, size)
    # a place that is no number is no place in the table either
    bags = torch.cat(rows, -1).reshape(-1, 4 * weights.shape[3] * weights.shape[4]).clamp_(0, len(table) - 1)
    summed = embedding_bag(bags, table, mode="sum", per_sample_weights=torch.cat(shares, -1).reshape(bags.shape))
    return summed.view(n_batch, n_queries, n_heads * size)


def quicken(model: torch.nn.Module) -> int:
    """Have a Mask2Former attend by ``sample``; how many of its layers do so now."""
    from transformers.models.mask2former import modeling_mask2former as known

    kind = known.Mask2FormerPixelDecoderEncoderMultiscaleDeformableAttention
    layers = [module for module in model.modules() if type(module) is kind]
    for layer in layers:
        layer.forward = partial(_attend, layer)
    return len(layers)


def _attend(
    layer: Any,
    hidden_states: torch.Tensor,
    attention_mask: torch.Tensor | None = None,
    encoder_hidden_states: torch.Tensor | None = None,
    encoder_attention_mask: torch.Tensor | None = None,  # noqa: ARG001  (the names are those of transformers)
    position_embeddings: torch.Tensor | None = None,
    reference_points: torch.Tensor | None = None,
    spatial_shapes_list: Sequence[tuple[int, int]] = (),
    level_start_index: torch.Tensor | None = None,  # noqa: ARG001
    output_attentions: bool = False,  # noqa: ARG001
) -> tuple[torch.Tensor, torch.Tensor]:
    """As the layer's own ``forward`` (reference points with two coordinates, as Mask2Former's are)."""
    queries = hidden_states if position_embeddings is None else hidden_states + position_embeddings
    n_batch, n_queries, _ = queries.shape
    values = layer.value_proj(encoder_hidden_states)
    if attention_mask is not None:
        values = values.masked_fill(attention_mask[..., None], 0.0)
    values = values.view(n_batch, -1, layer.n_heads, layer.d_model // layer.n_heads)
    shape = (n_batch, n_queries, layer.n_heads, layer.n_levels, layer.n_points)
    weights = layer.attention_weights(queries).view(*shape[:3], -1).softmax(-1).view(shape)
    sizes = torch.tensor([[width, height] for height, width in spatial_shapes_list], device=queries.device)
    points = cast(torch.Tensor, reference_points)[:, :, None, :, None, :]
    places = points + layer.sampling_offsets(queries).view(*shape, 2) / sizes[None, None, None, :, None, :]
    return layer.output_proj(sample(values, spatial_shapes_list, places, weights)), weights
