"""Reading a question with the synonyms of a graph's vocabulary: relations and kinds are called as the question does.

A question that contains a synonym is answered over a view of the graph in which the relation or kind bears that synonym
in place of its label, so that every part of every method treats both alike.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.renaming import RenamedSnapshot, Renaming
from retrieval.kg.snapshot.vocabulary import load_vocabulary
from retrieval.language.question import Question
from retrieval.language.words import generate_agent_stems, get_label_stems, remove_unit

if TYPE_CHECKING:
    from retrieval.answering.pipeline import Answerer
    from retrieval.answering.run import AskRequest
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.vocabulary import Term, Vocabulary

#: The share of a synonym's stems that a question must have, and how much a derived form of a stem counts.
_SHARE, _DERIVED = 0.6, 0.8
RENAMED = 8
"""Renamings of a graph that are kept open."""


@dataclass(frozen=True, slots=True)
class _Wording:
    """A wording of a term, the label first."""

    term: Term
    place: int
    text: str
    stems: frozenset[str]


class WordingSelector:
    """Selects the wordings of relations and kinds that a question uses.

    Args:
        snapshot: the graph; terms that it lacks are left out.
    """

    def __init__(self, vocabulary: Vocabulary, snapshot: Snapshot) -> None:
        self._relations: dict[str, int] = {}
        self._by_stem: dict[str, list[_Wording]] = defaultdict(list)
        for term in vocabulary.terms:
            for wording in self._list_wordings(term, snapshot):
                for stem in wording.stems:
                    self._by_stem[stem].append(wording)

    def _list_wordings(self, term: Term, snapshot: Snapshot) -> Iterator[_Wording]:
        label = term.name
        if term.category == "relation":
            relation = snapshot.find_relation(term.name)
            if relation is None:
                return
            self._relations[term.name] = relation
            label = remove_unit(snapshot.get_relation_label(relation))
        for place, text in enumerate((label, *term.synonyms) if term.synonyms else ()):
            yield _Wording(term, place, text, frozenset(get_label_stems(text)))

    def select(self, questions: Sequence[Question]) -> Renaming:
        """The renaming under which questions are read; empty where their words are those of the labels."""
        matched: dict[_Wording, float] = defaultdict(float)
        for stem, weight in _score_stems(questions).items():
            for wording in self._by_stem.get(stem, ()):
                matched[wording] += weight
        best: dict[Term, tuple[float, int, int, str]] = {}
        for wording, weight in matched.items():
            share = weight / len(wording.stems)
            candidate = (share, len(wording.stems), -wording.place, wording.text)
            if share >= _SHARE and candidate > best.get(wording.term, (0.0, 0, 0, "")):
                best[wording.term] = candidate
        chosen = [(term, text) for term, (_, _, place, text) in best.items() if place]
        return Renaming(
            tuple(sorted((self._relations[t.name], text) for t, text in chosen if t.category == "relation")),
            tuple(sorted((t.name, text) for t, text in chosen if t.category == "kind")),
        )


def rename_snapshot(questions: Sequence[Question], edited: Vocabulary, snapshot: Snapshot) -> Snapshot:
    """The view of a snapshot under the renaming that questions select, by what people edited of its vocabulary."""
    vocabulary = load_vocabulary(snapshot.path).override(edited.terms)
    renaming = WordingSelector(vocabulary, snapshot).select(questions)
    return RenamedSnapshot(snapshot, renaming) if renaming else snapshot


def _score_stems(questions: Sequence[Question]) -> dict[str, float]:
    """The stems of questions, and with less weight those derived from them: who flies is a flyer."""
    stems = {word.stem for question in questions for word in question.words.words}
    derived = {other for stem in stems for other in generate_agent_stems(stem)}
    return dict.fromkeys(derived, _DERIVED) | dict.fromkeys(stems, 1.0)


class RenamedAnswerers:
    """The answerers of one graph under the renamings that its questions select. Threads may share it.

    Args:
        open_answerer: opens the answerer under a renaming.
    """

    def __init__(
        self, vocabulary: Vocabulary, snapshot: Snapshot, open_answerer: Callable[[Renaming], Answerer]
    ) -> None:
        self._snapshot = snapshot
        self._selector = WordingSelector(vocabulary, snapshot)
        self._open_answerer = open_answerer
        self._lock = threading.Lock()
        self._views: OrderedDict[Renaming, Answerer] = OrderedDict()

    def __call__(self, request: AskRequest, snapshot: Snapshot) -> Answerer | None:
        """The answerer for a question that uses synonyms.

        Returns:
            None where the labels are its words, and over a restriction of the graph.

        Raises:
            ClewError: a part cannot be opened.
        """
        if snapshot is not self._snapshot:
            return None
        questions = [request.question, *([Question(request.follows.question)] if request.follows else [])]
        renaming = self._selector.select(questions)
        if not renaming:
            return None
        with self._lock:
            if renaming not in self._views:
                self._views[renaming] = self._open_answerer(renaming)
            self._views.move_to_end(renaming)
            while len(self._views) > RENAMED:
                self._views.popitem(last=False)
            return self._views[renaming]
