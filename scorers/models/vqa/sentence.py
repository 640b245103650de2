"""Sentence embeddings of a model of transformers, as sentence-transformers makes those of ``all-mpnet-base-v2``: the mean over
a text's tokens, of length one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModel

from scorers.models.transformer import load, tokenizer_of

_LONGEST: Final = 384
"""Tokens that are read, as that model's own settings say."""
_KEPT: Final = 4096
"""Embeddings in memory: choices come again with every image of a prompt."""


class Sentences:
    """The model in memory; raises as ``load``."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        self._model = load(AutoModel, name, device)
        self._tokenizer = tokenizer_of(name)
        self._device = device
        # MPNet counts places from its padding token's number on
        self._longest = min(_LONGEST, self._model.config.max_position_embeddings - 2)
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """n x d, each of length one. A text's numbers do not depend on the others: each goes through alone, once."""
        for text in dict.fromkeys(texts):
            if text not in self._known:
                self._known[text] = self._encoded(text)
            self._known.move_to_end(text)
        found = np.stack([self._known[text] for text in texts])
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return found

    def _encoded(self, text: str) -> NDArray[np.float32]:
        read = self._tokenizer(text, truncation=True, max_length=self._longest, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            states = self._model(**read).last_hidden_state.float()
        mask = read["attention_mask"][..., None].float()
        mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        vector: NDArray[np.float32] = torch.nn.functional.normalize(mean, dim=1)[0].cpu().numpy()
        return vector
