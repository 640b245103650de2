"""Language models of the real architectures with random weights and small vocabularies, saved as the published ones are."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from data.prompts.question_generation import prompt_examples
from scorers.models.text_generation import prompt_of


def random_llama(folder: Path, *, context: int = 512) -> Path:
    """A LLaMA with a tokenizer that begins a text by itself, as LLaMA-2's does."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = Tokenizer(models.BPE(unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    trainer: Any = trainers.BpeTrainer(
        vocab_size=600, special_tokens=["<unk>", "<s>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    words.train_from_iterator([prompt_of(""), *(example.answer for example in prompt_examples())], trainer)
    words.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>", bos_token="<s>", eos_token="</s>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=context, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def random_t5(folder: Path) -> Path:
    """A T5 with a tokenizer as UnifiedQA's is published: a ``spiece.model`` and nothing else."""
    import sentencepiece
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    folder.mkdir(parents=True, exist_ok=True)
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(example.answer.replace("\n", " ").lower() for example in prompt_examples()), model_writer=written,
        vocab_size=300, pad_id=0, eos_id=1, unk_id=2, bos_id=-1, minloglevel=2,
    )  # fmt: skip
    (folder / "spiece.model").write_bytes(written.getvalue())
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=400, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0, pad_token_id=0,
        eos_token_id=1,
    )  # fmt: skip
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder
