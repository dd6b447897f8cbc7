"""Training a language model to explore a graph: SFT, then GRPO with stepwise rewards (Graph-S3 sections 3.2.1, 3.2.2).

Both by trl's trainers, on decisions: each state of a trajectory with the action taken in it is one example. What both
stages need of disk is in one directory, so that training goes on from the last step kept there.
"""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from retrieval.errors import Cancelled, ConfigError
from retrieval.methods.graph_s3.agent import language_policy, serialise
from retrieval.methods.graph_s3.agent.actions import Action, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.state import State
from retrieval.nn.language_model import NEEDS, AdaptedModel
from retrieval.types import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

CURVES = (
    "loss",
    "reward",
    "reward_std",
    "kl",
    "entropy",
    "grad_norm",
    "learning_rate",
    "mean_token_accuracy",
)
"""What is kept of each step, where a stage has it."""

STAGES = ("sft", "rl")
_KEY, _WARMED = "key", "imitated.pt"


@dataclass(frozen=True, slots=True, eq=False)
class TrainingExample:
    """A state, what was done in it, and why.

    Attributes:
        state: not ended.
        action: possible.
        thought: before it.
        golden: what refined trajectories do in the state, of examples to reinforce.
        answers: right answers of the question, ascending entity ids, of examples to reinforce.
    """

    state: State
    action: Action
    thought: str
    golden: tuple[Action, ...] = ()
    answers: tuple[int, ...] = ()


Judge = Callable[[TrainingExample, serialise.ActionReply | Unreadable], float]
"""What a reply is worth in the state of an example."""


@dataclass(frozen=True, slots=True)
class LanguageTraining:
    """Settings of both stages; the defaults are the paper's (App. A) where it gives them.

    Attributes:
        context: tokens of prompt and reply together.
        longest: tokens of a reply.
        sft_epochs, sft_rate, sft_batch: of imitation.
        rl_epochs, rl_rate: of reinforcement.
        batch, mini_batch: decisions that are replied to before the policy is changed, and in one change of it.
        group: replies to each decision.
        clip, kl, grad_clip: of GRPO; the norm of gradients is clipped in both stages.
        save_steps: steps of imitation after which it can be gone on from; of reinforcement, which are slow, every one.
    """

    context: int = 4096
    longest: int = 256
    sft_epochs: int = 3
    sft_rate: float = 1e-4
    sft_batch: int = 16
    rl_epochs: int = 15
    rl_rate: float = 1e-5
    batch: int = 512
    mini_batch: int = 16
    group: int = 8
    clip: float = 0.2
    kl: float = 0.001
    grad_clip: float = 1.0
    save_steps: int = 20
    seed: int = 0


def make_examples(
    world: AgentWorld, beginning: State, actions: Sequence[Action], thoughts: Sequence[str]
) -> list[TrainingExample]:
    """The examples of one trajectory.

    Args:
        beginning: the state before the first action.
        actions: each was possible.
        thoughts: of each action.
    """
    examples, state = [], beginning
    for action, thought in zip(actions, thoughts, strict=True):
        examples.append(TrainingExample(state, action, thought))
        state, _ = world.apply_action(state, action)
    return examples


class LanguageTrainer:
    """Trains adapters in place.

    Args:
        model: base and adapters.
        settings: see :class:`LanguageTraining`.
        where: directory of what a stopped training goes on from.
        key: names everything the training depends on; what was kept under another key is deleted.
        progress: told after each step.

    Attributes:
        curves: of every step so far: ``stage`` (0 imitation, 1 reinforcement), ``step``, ``epoch``, and ``CURVES``.

    Raises:
        ConfigError: ``requirements-llm.txt`` is not installed.
    """

    def __init__(
        self,
        world: AgentWorld,
        model: AdaptedModel,
        settings: LanguageTraining,
        *,
        where: Path,
        key: str,
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.world, self.model, self.settings = world, model, settings
        self.curves: list[dict[str, float]] = []
        self._where, self._progress, self._cancelled = where, progress, cancelled
        self._trl = _import_trl()
        if not (where / _KEY).is_file() or (where / _KEY).read_text() != key:
            shutil.rmtree(where, ignore_errors=True)
            where.mkdir(parents=True)
            (where / _KEY).write_text(key)

    def train_by_imitation(self, examples: Sequence[TrainingExample]) -> None:
        """Supervised fine-tuning: the likelihood of thought and action, given the state (eq. 7).

        Raises:
            Cancelled: ``cancelled()`` said so; the next call goes on after the last step.
        """
        done = self._where / _WARMED
        if done.is_file():
            kept = torch.load(done, weights_only=True)
            self.model.load_state_dict(kept["weights"])
            self.curves += json.loads(kept["curves"])
            return
        settings = self.settings
        rows = [self._encode_example(example) for example in examples]
        batch = min(settings.sft_batch, len(rows))
        with _skip_warnings():
            args = self._trl.SFTConfig(
                **self._make_arguments("sft", settings.sft_epochs, settings.sft_rate),
                per_device_train_batch_size=1 if torch.cuda.is_available() else batch,
                gradient_accumulation_steps=batch if torch.cuda.is_available() else 1,
                max_length=None,
                dataset_kwargs={"skip_prepare_dataset": True},
            )
            trainer = self._trl.SFTTrainer(
                model=self.model.lm,
                args=args,
                train_dataset=_make_dataset(rows),
                processing_class=self.model.tokenizer,
            )
            self._run(trainer, "sft", "imitating")
        weights = {"weights": self.model.state_dict(), "curves": json.dumps(self.curves)}
        torch.save(weights, done.with_suffix(".new"))
        done.with_suffix(".new").replace(done)

    def train_by_reinforcement(self, examples: Sequence[TrainingExample], judge: Judge) -> None:
        """Group relative policy optimisation: of each state's replies those that are worth more than the others.

        Raises:
            Cancelled: ``cancelled()`` said so; the next call goes on after the last step that was kept.
        """
        settings, tokens = self.settings, self.settings.context - self.settings.longest
        rows = [
            {"prompt": language_policy.build_prompt(self.world, e.state, self.model, tokens), "case": case}
            for case, e in enumerate(examples)
        ]
        mini = min(settings.mini_batch, len(rows))
        batch = max(min(settings.batch, len(rows)) // mini, 1) * mini

        def score_completions(completions: list[Any], case: list[int], **_: object) -> list[float]:
            return [self._score_completion(examples[i], c, judge) for i, c in zip(case, completions, strict=True)]

        with _skip_warnings():
            args = self._trl.GRPOConfig(
                **self._make_arguments("rl", settings.rl_epochs, settings.rl_rate),
                per_device_train_batch_size=settings.group,
                gradient_accumulation_steps=mini,
                steps_per_generation=batch,
                num_generations=settings.group,
                max_completion_length=settings.longest,
                beta=settings.kl,
                epsilon=settings.clip,
                loss_type="grpo",
                scale_rewards="group",
                disable_dropout=True,
                chat_template_kwargs={"enable_thinking": False},
            )
            trainer = self._trl.GRPOTrainer(
                model=self.model.lm,
                reward_funcs=score_completions,
                args=args,
                train_dataset=_make_dataset(rows),
                processing_class=self.model.tokenizer,
            )
            self._run(trainer, "rl", "reinforcing")
        if "ref" in self.model.lm.peft_config:
            self.model.lm.delete_adapter("ref")  # what the KL divergence was taken from

    def _encode_example(self, example: TrainingExample) -> dict[str, list[int]]:
        """Tokens of a chat with its reply; the reply alone is learned."""
        reply = self.model.encode_reply(
            serialise.write_reply(self.world, example.state, example.action, example.thought)
        )
        tokens = self.settings.context - len(reply)
        prompt = self.model.encode_chat(language_policy.build_prompt(self.world, example.state, self.model, tokens))
        return {"input_ids": [*prompt, *reply], "labels": [-100] * len(prompt) + reply}

    def _score_completion(self, example: TrainingExample, completion: Any, judge: Judge) -> float:
        if self._cancelled():
            raise Cancelled("The training was stopped.")
        written = completion if isinstance(completion, str) else completion[0]["content"]
        return judge(example, language_policy.read(self.world, example.state, written))

    def _make_arguments(self, stage: str, epochs: int, rate: float) -> dict[str, Any]:
        cuda = torch.cuda.is_available()
        return {
            "output_dir": str(self._where / stage),
            "num_train_epochs": epochs,
            "learning_rate": rate,
            "lr_scheduler_type": "constant",
            "max_grad_norm": self.settings.grad_clip,
            "bf16": cuda,
            "use_cpu": not cuda,
            "dataloader_pin_memory": cuda,
            "activation_checkpointing": cuda,
            "gradient_checkpointing": None,
            "logging_steps": 1,
            "save_strategy": "steps",
            "save_steps": self.settings.save_steps if stage == "sft" else 1,
            "save_total_limit": 1,
            "report_to": [],
            "disable_tqdm": True,
            "seed": self.settings.seed,
        }

    def _run(self, trainer: Any, stage: str, doing: str) -> None:
        """Train to the end, or to where somebody stops it, from what was kept."""
        from transformers.trainer_callback import PrinterCallback  # noqa: PLC0415

        watcher = _make_watcher(doing, self._progress, self._cancelled)
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(watcher)
        folder = self._where / stage
        # The state is written last: a checkpoint without one was broken off.
        complete = [path.parent for path in folder.glob("checkpoint-*/trainer_state.json")]
        kept = sorted(complete, key=lambda path: int(path.name.split("-")[1]))
        trainer.train(resume_from_checkpoint=str(kept[-1]) if kept else None)
        if watcher.stopped:
            raise Cancelled("The training was stopped.")
        self.curves += [
            {
                "stage": STAGES.index(stage),
                **{name: row[name] for name in ("step", "epoch", *CURVES) if name in row},
            }
            for row in trainer.state.log_history
            if "loss" in row
        ]
        shutil.rmtree(folder, ignore_errors=True)
        self.model.eval()


def _make_watcher(doing: str, progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> Any:
    """Tells of each step, and has what is done kept when somebody stops it."""
    from transformers import TrainerCallback  # noqa: PLC0415 - seconds to import

    class Watcher(TrainerCallback):
        stopped = False

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            del args, control, kwargs
            if "loss" not in logs:
                return  # the summary at the end
            metrics = {name: float(logs[name]) for name in ("loss", "reward", "kl") if name in logs}
            progress(Progress(doing, state.global_step, state.max_steps, "steps", metrics=metrics))

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            del args, kwargs
            if cancelled() and state.global_step < state.max_steps:
                self.stopped = control.should_save = control.should_training_stop = True

    return Watcher()


def _make_dataset(rows: Sequence[dict[str, Any]]) -> Any:
    """The rows as trl reads them. The fingerprint of a data set serves caches on disk, which are not used here."""
    from datasets import Dataset  # noqa: PLC0415 - optional
    from datasets.table import InMemoryTable  # noqa: PLC0415

    return Dataset(InMemoryTable.from_pylist(list(rows)), fingerprint="decisions")


def _import_trl() -> Any:
    try:
        import trl  # noqa: PLC0415 - optional
    except ImportError as error:
        raise ConfigError("Language models are trained with trl.", hint=NEEDS) from error
    return trl


@contextmanager
def _skip_warnings() -> Iterator[None]:
    """trl and peft ask transformers for things by their old names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield
