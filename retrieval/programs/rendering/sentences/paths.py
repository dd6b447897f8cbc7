"""Sentences of answers that relation paths lead to: fact after fact, or what the paths lead to as a whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrieval.programs.rendering.sentences.clauses import SYMMETRIC_VERBS
from retrieval.programs.rendering.sentences.grammar import (
    STARRING,
    apply_count,
    conjugate_plural,
    get_noun,
    is_prepositional,
    is_verb,
    is_verb_word,
    make_singular,
    write_predicate,
)
from retrieval.programs.rendering.sentences.relations import (
    write_inverse_sentence,
    write_relation_sentence,
)
from retrieval.programs.rendering.sentences.values import format_label, write_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.results import Answer
    from retrieval.types import EvidenceChain, RelationStep

#: The last relation of a path of which people say what things do; "founder of" is a noun.
_AGENT_PREPOSITIONS = (" by", " at", " in", " from", " on")
_MAX_WALKED = 3
_MAX_GROUPS = 3


def write_path_sentence(answers: Sequence[Answer], chains: Sequence[EvidenceChain]) -> str | None:
    """Write the answers as what the chains lead to; None where none of them has a chain."""
    paths = [[chains[index] for index in answer.chains] for answer in answers]
    known = [path for path in paths if path]  # of many answers only the first have chains
    if not known:
        return None
    best, labels = known[0], [answer.label for answer in answers]
    chain = best[0]
    if any(path != best for path in known):
        if _is_reached_by(chain, answers) and not any(step.inverse for step in chain.steps):
            return write_relation_sentence(chain.steps[0].label, chain.source.label, labels)
        return _write_groups_sentence(answers, chains)
    return _write_chains_sentence(best, labels)


def _is_reached_by(chain: EvidenceChain, answers: Sequence[Answer]) -> bool:
    """Tell whether one relation leads to all answers, some of which other chains lead to as well."""
    reached = {node.id for node in chain.levels[0]} if len(chain.steps) == 1 else set()
    return all(answer.entity is not None and answer.entity.id in reached for answer in answers)


def _write_chains_sentence(chains: Sequence[EvidenceChain], labels: list[str]) -> str:
    """Write answers that all of some chains lead to."""
    names = list(map(format_label, labels))
    chain, several = chains[0], len(names) > 1
    step = chain.steps[0]
    # One relation of several topics: "France and Germany both border Belgium."
    is_same = all(len(other.steps) == 1 and other.steps[0] == step for other in chains)
    if len(chains) > 1 and is_same and not step.inverse and (is_prepositional(step.label) or is_verb_word(step.label)):
        predicate, topics = write_predicate(step.label, several=True), [other.source.label for other in chains]
        if len(topics) == 2:
            predicate = re.sub("^((?:are|were|have) )?", r"\1both ", predicate, count=1)
        return f"{write_list(topics)} {predicate} {write_list(names)}."
    if not all(other.merged_with for other in chains):
        chains = chains[:1]  # each of them leads to the answers by itself
    if len(chains) == 1:
        if len(chain.steps) == 1:
            write = write_inverse_sentence if step.inverse else write_relation_sentence
            return write(step.label, chain.source.label, labels)
        walked = write_walk_sentence(chain, names)
        if walked is not None:
            return walked
    predicates = list(dict.fromkeys(_describe_predicate(other, several=several) for other in chains))
    if None not in predicates:
        return f"{write_list(names)} {' and '.join(map(str, predicates))}."
    targets = dict.fromkeys(describe_target(other.source.label, other.steps, several=several) for other in chains)
    first, *others = targets
    return f"{write_list(names)}: {' and '.join([first, *(target.removeprefix('those ') for target in others)])}."


def _write_groups_sentence(answers: Sequence[Answer], chains: Sequence[EvidenceChain]) -> str:
    """Write answers that different chains lead to: each with what leads to it."""
    groups: dict[str, list[str]] = {}
    for answer in answers:
        if answer.chains:
            chain = chains[answer.chains[0]]
            target = describe_target(chain.source.label, chain.steps)
            groups.setdefault(target, []).append(format_label(answer.label))
    if len(groups) > _MAX_GROUPS:
        return f"{write_list([format_label(answer.label) for answer in answers])}."
    return f"{'; '.join(f'{write_list(names)}: {target}' for target, names in groups.items())}."


def write_walk_sentence(chain: EvidenceChain, names: list[str]) -> str | None:
    """Write a way over single things: "Acme is based in Basel, and the country of Basel is Switzerland."."""
    steps, levels = chain.steps, chain.levels
    if not 1 < len(steps) <= _MAX_WALKED or len(levels) != len(steps) or any(n != 1 for n in chain.level_counts[:-1]):
        return None
    source, facts = chain.source.label, list[str]()
    for index, (step, level) in enumerate(zip(steps, levels, strict=True)):
        targets = names if index == len(steps) - 1 else [node.label for node in level[:1]]
        if not targets:
            return None
        write = write_inverse_sentence if step.inverse else write_relation_sentence
        fact = write(step.label, source, targets).removesuffix(".")
        facts.append(f"the {fact.removeprefix('The ')}" if index and fact.startswith("The ") else fact)
        source = targets[0]
    return f"{', '.join(facts[:-1])}, and {facts[-1]}."


def describe_target(source: str, steps: Sequence[RelationStep], *, several: bool = False, inner: bool = False) -> str:
    """What a relation path leads to: ``official languages of what Switzerland borders``.

    Args:
        source: where it begins.
        several: it leads to several things.
        inner: something else is said of what it leads to.
    """
    text = source
    for index, step in enumerate(steps):
        last = index == len(steps) - 1 and not inner
        label, noun = step.label, get_noun(step.label)
        verbal = is_prepositional(label) or is_verb_word(label)
        if label in SYMMETRIC_VERBS:
            text = f"{conjugate_plural(label)}ed by {text}" if last else f"what {text} {label}"
        elif not step.inverse:
            if verbal:
                things = re.sub("^what ", "things that ", text)
                text = f"what {things} {write_predicate(label, several=things.startswith('things '))}"
            else:
                text = f"the {apply_count(2, noun) if last and several else noun} of {text}"
        elif verbal:
            is_active = is_verb(label) and label != STARRING
            text = f"{f'that {conjugate_plural(label)}' if is_active else re.sub('^(is|was) ', '', label)} {text}"
            text = text.removeprefix("that ") if last else f"things {text}"
        else:
            text = f"those whose {make_singular(noun)} is {text}" if last else f"things with the {noun} {text}"
    return text


def _describe_predicate(chain: EvidenceChain, *, several: bool) -> str | None:
    """What the things that a chain leads to do: ``work at Acme``, ``are written by the author of Emma``; else None."""
    step = chain.steps[-1]
    if not step.inverse or (step.label == STARRING or step.label in SYMMETRIC_VERBS):
        return None
    if not is_verb(step.label) and not step.label.endswith(_AGENT_PREPOSITIONS):
        return None
    whom = describe_target(chain.source.label, chain.steps[:-1], inner=True)
    return f"{write_predicate(step.label, several=several)} {whom}"
