"""A causal language model whose weights stay, with LoRA adapters that are trained and kept."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from retrieval.errors import ConfigError

NEEDS = "pip install 'clew[llm]', or `pip install -r requirements-llm.txt` in a checkout."

_TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>\n{{ m.content }}\n</{{ m.role }}>\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>\n{% endif %}"
)
"""How a chat is written for a model that comes without a template of its own."""


class AdaptedModel(nn.Module):
    """A base model with adapters, on the GPU where there is one.

    Args:
        name: a directory, a GGUF file (whose weights are unpacked), or a model in the local cache; nothing is
            downloaded.
        rank: of the adapters, on all linear layers.

    Attributes:
        lm: the model, as peft wraps it.
        tokenizer: its own, with a template for chats and a padding token in any case.

    Raises:
        ConfigError: no model is named, it cannot be opened, or ``requirements-llm.txt`` is not installed.
    """

    def __init__(self, name: str, *, rank: int, dropout: float) -> None:
        super().__init__()
        base, self.tokenizer = _open(name)
        try:
            import peft  # noqa: PLC0415 - optional
        except ImportError as error:
            raise ConfigError("Language models are trained with peft.", hint=NEEDS) from error
        self._peft: Any = peft
        adapters = peft.LoraConfig(
            r=rank,
            lora_alpha=2 * rank,
            lora_dropout=dropout,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        )
        with warnings.catch_warnings():
            # peft asks transformers for an attribute by its old name.
            warnings.simplefilter("ignore", FutureWarning)
            self.lm: Any = peft.get_peft_model(base, adapters)
        self.lm.to("cuda" if torch.cuda.is_available() else "cpu")

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Tensor]:  # type: ignore[override]
        """The adapters' weights alone, on the CPU."""
        del args, kwargs
        weights = self._peft.get_peft_model_state_dict(self.lm)
        return {name: value.detach().float().cpu() for name, value in weights.items()}

    def load_state_dict(self, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        """Take up adapters.

        Raises:
            RuntimeError: they do not fit the base model.
        """
        del args, kwargs
        if set(state_dict) != set(self.state_dict()):
            raise RuntimeError("the adapters are those of another language model")
        return self._peft.set_peft_model_state_dict(self.lm, dict(state_dict))

    def encode_chat(self, messages: list[dict[str, str]]) -> list[int]:
        """Tokens of a chat up to where the reply begins. Models that think aloud first are asked not to."""
        ids: list[int] = self.tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_dict=True, enable_thinking=False
        )["input_ids"]
        return ids

    def encode_reply(self, text: str) -> list[int]:
        """Tokens of a reply, with its end."""
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return [*ids, self.tokenizer.eos_token_id]

    @torch.inference_mode()
    def write(self, messages: list[dict[str, str]], *, longest: int) -> str:
        """The most probable reply to a chat, token by token.

        Args:
            longest: tokens of the reply at most.
        """
        device = next(self.lm.parameters()).device
        prompt = torch.tensor([self.encode_chat(messages)], device=device)
        training = self.lm.training
        self.lm.eval()
        written = self.lm.generate(
            input_ids=prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=longest,
            do_sample=False,
            pad_token_id=self.tokenizer.pad_token_id,
            eos_token_id=self.tokenizer.eos_token_id,
        )
        self.lm.train(training)
        text: str = self.tokenizer.decode(written[0, prompt.shape[1] :], skip_special_tokens=True)
        return text


def _open(name: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415 - seconds to import

    if not name:
        raise ConfigError(
            'The backend "llm" needs a language model.', hint='Set "llm" to the directory of a causal model.'
        )
    try:
        if name.endswith(".gguf"):
            tokenizer, model = _load_unpacked(Path(name))
        else:
            tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=True)
            model = AutoModelForCausalLM.from_pretrained(name, local_files_only=True)
    except (ImportError, OSError, ValueError, KeyError, RuntimeError) as error:
        raise ConfigError(
            f"The language model {name!r} could not be opened: no usable model on this machine.",
            hint="Name the directory of a causal model that transformers can open, or a GGUF file (pip install gguf); "
            "nothing is downloaded.",
        ) from error
    if tokenizer.chat_template is None:
        tokenizer.chat_template = _TEMPLATE
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model, tokenizer


def _load_unpacked(file: Path) -> tuple[Any, Any]:
    """Tokenizer and model of a GGUF file, in 32 bits: packed weights can be neither trained nor kept."""
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415 - seconds to import

    options: dict[str, Any] = {"gguf_file": file.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(str(file.parent), **options)
    packed = AutoModelForCausalLM.from_pretrained(str(file.parent), dtype=torch.float32, **options)
    config = copy.deepcopy(packed.config)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    fresh: Any = AutoModelForCausalLM
    model = fresh.from_config(config, dtype=torch.float32)
    model.load_state_dict(packed.state_dict())
    model.tie_weights()
    return tokenizer, model
