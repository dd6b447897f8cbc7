"""The method ``linear-probe`` as lists and forms show it."""

from dataclasses import dataclass

from retrieval.config import RetrieverConfig, make_setting
from retrieval.methods.spec import MethodSpec


@dataclass(frozen=True, slots=True)
class LinearProbeConfig(RetrieverConfig):
    """Settings of the training."""

    learning_rate: float = make_setting(0.01, "Of Adam.", above=0)


SPEC = MethodSpec(
    name="linear-probe",
    label="Linear probe",
    description="A linear layer over the question's embedding ranks relations; answers are one hop away.",
    config=LinearProbeConfig,
    answerer="retrieval.answering.paths:open_answerer",
    retriever="clew_example.probe:open_retriever",
    task="clew_example.probe:make_task",
)
