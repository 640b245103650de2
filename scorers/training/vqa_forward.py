"""BLIP's forward pass for many questions of one picture at a time, and what it loses by.

The modules are those of ``BlipForQuestionAnswering``; only the way through them is another, so that a picture's keys and values
are computed once for all of its questions, and a question's for all of its choices. Unlike transformers 5.23, whose text
layers drop the mask of the states they attend to, padding is not seen here: at inference questions must not be padded.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import nn
from torch.nn import functional

from data.prompts.geneval import COLORS
from scorers.training.scenes import NAMES
from scorers.training.vqa_batches import Batch
from scorers.training.vqa_model import PAD, SEP, START

_FAR: Final = -1e4
_COUNTS: Final = 7
"""Zero to six of a kind."""


class Heads(nn.Module):  # type: ignore[misc]  # torch is not read by mypy
    """Linear heads for the training only; without them counts and relations are not learned for a long time.

    On the picture's patches: kind, colour, whether an object's centre is there, where the centre of the patch's object is, how
    many there are of its kind. On the question's words that name a kind: how many there are of it, and where.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.sizes = (1 + len(NAMES), 1 + len(COLORS), 1, 2, _COUNTS)
        self.patch = nn.Linear(width, sum(self.sizes))
        self.word = nn.Linear(width, _COUNTS + 2)

    def seen(self, states: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Loss of the patches: B x 64 x width."""
        kind, color, middle, place, count = self.patch(states).float().split(self.sizes, dim=2)
        truth = batch.patches
        kinds, colors = truth[..., 0].long(), truth[..., 1].long()
        true = batch.true_colors
        loss = functional.cross_entropy(kind.flatten(0, 1), kinds.flatten())
        loss = loss + functional.cross_entropy(color[true].flatten(0, 1), colors[true].flatten())
        loss = loss + 2 * functional.binary_cross_entropy_with_logits(middle[..., 0], truth[..., 2])
        loss = loss + functional.cross_entropy(count.flatten(0, 1), truth[..., 5].long().flatten())
        return loss + 4 * ((place - truth[..., 3:5]).abs().sum(dim=2) * (kinds > 0)).mean()

    def read(self, states: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Loss of the words: (B x Q) x L x width."""
        named = batch.named.flatten(0, 1)
        pictures = torch.arange(len(batch.images)).repeat_interleave(batch.named.shape[1])
        row, place = (named >= 0).nonzero(as_tuple=True)
        said = self.word(states[row, place]).float()
        truth = batch.kinds[pictures[row], named[row, place]]
        loss = functional.cross_entropy(said[:, :_COUNTS], truth[:, 0].long())
        return loss + 6 * ((said[:, _COUNTS:] - truth[:, 1:]).abs().sum(dim=1) * (truth[:, 0] > 0)).mean()


def attend(attention: Any, hidden: torch.Tensor, states: torch.Tensor, mask: torch.Tensor | None) -> Any:
    """A ``BlipTextAttention``: N x T x D queries over N x S x E states; the mask is added to the scores."""
    own = attention.self

    def heads(made: torch.Tensor) -> torch.Tensor:
        return made.unflatten(2, (own.num_attention_heads, -1)).transpose(1, 2)

    query, key, value = heads(own.query(hidden)), heads(own.key(states)), heads(own.value(states))
    # written out: the fused kernel's way back is several times slower on CPUs
    scores = query @ key.transpose(2, 3) * own.attention_head_size**-0.5
    shares = (scores if mask is None else scores + mask.to(scores.dtype)).softmax(dim=3).to(value.dtype)
    return attention.output((shares @ value).transpose(1, 2).flatten(2), hidden)


def through(
    layers: Any, hidden: torch.Tensor, mask: torch.Tensor, states: torch.Tensor, seen: torch.Tensor | None
) -> list[torch.Tensor]:
    """All layers of a text model over N x T x D: self-attention under ``mask``, cross-attention to ``states`` under ``seen``.

    The states may be fewer than N: then those of n / N follow one another, and read the same. Returns what each layer gives.
    """
    found = []
    several = len(hidden) // len(states)
    for layer in layers:
        hidden = attend(layer.attention, hidden, hidden, mask)
        beside = hidden.reshape(len(states), several * hidden.shape[1], -1)
        hidden = attend(layer.crossattention, beside, states, seen).reshape(hidden.shape)
        hidden = layer.feed_forward_chunk(hidden)
        found.append(hidden)
    return found


def said(
    model: Any, states: torch.Tensor, questions: torch.Tensor, choices: torch.Tensor
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Log-probability of each choice, with its end, given picture and question: B x Q x C; -10,000 where there is none.

    Also what the layers of the text encoder give, each (B x Q) x L x D.

    Args:
        model: a ``BlipForQuestionAnswering``.
        states: B x P x E, of the vision model.
        questions: B x Q x L words.
        choices: B x Q x C x W words.
    """
    flat = questions.flatten(0, 1)
    unseen = torch.where(flat != PAD, 0.0, _FAR)[:, None, None]
    embedded = model.text_encoder.embeddings(input_ids=flat)
    read = through(model.text_encoder.encoder.layer, embedded, unseen, states, None)
    return _choices(model.text_decoder, read[-1], unseen, choices.flatten(0, 1)).unflatten(0, questions.shape[:2]), read


def _choices(decoder: Any, states: torch.Tensor, seen: torch.Tensor, choices: torch.Tensor) -> torch.Tensor:
    """N x C: all choices of a question in one sequence; each sees the start and itself."""
    count, several, width = choices.shape
    words = torch.cat([torch.full((count, 1), START), choices.flatten(1)], dim=1)
    number = torch.cat([torch.tensor([-1]), torch.arange(several).repeat_interleave(width)])
    place = torch.cat([torch.tensor([0]), torch.arange(1, width + 1).repeat(several)])
    before = ((number[:, None] == number[None]) | (number[None] < 0)) & (place[None] <= place[:, None])
    mask = torch.where(before, 0.0, _FAR)[None, None]
    hidden = decoder.bert.embeddings(input_ids=words, position_ids=place[None].expand(count, -1))
    spoken = through(decoder.bert.encoder.layer, hidden, mask, states, seen)[-1]
    scores = decoder.cls(spoken).float().log_softmax(dim=2)
    # after the start comes a choice's first word, after each word the next, after the last the end
    following = torch.cat([choices[:, :, 1:], torch.full((count, several, 1), PAD)], dim=2)
    following = torch.where((choices != PAD) & (following == PAD), SEP, following)
    first = scores[:, 0].gather(1, choices[:, :, 0])
    later = scores[:, 1:].gather(2, following.flatten(1)[..., None])[..., 0].unflatten(1, (several, width))
    total = first + (later * (choices != PAD)).sum(dim=2)
    return total.masked_fill(choices[:, :, 0] == PAD, _FAR)


def losses(model: Any, heads: Heads, batch: Batch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The decoder's loss of the true answer, that of choosing it, the heads', and which questions were answered right."""
    with torch.autocast("cpu", torch.bfloat16):
        states = model.vision_model(pixel_values=batch.images).last_hidden_state
        scores, read = said(model, states, batch.questions, batch.choices)
        # of the words in the middle: what is found can still be compared in the last layer
        dense = heads.seen(states[:, 1:], batch) + heads.read(read[-2], batch)
    flat, answers = scores.flatten(0, 1), batch.answers.flatten()
    spoken = -flat.gather(1, answers[:, None]).mean()
    return spoken, functional.cross_entropy(flat, answers), dense, scores.argmax(dim=2) == batch.answers
