"""The ranker of programs: a log-linear model over the features of how a program was composed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

#: What is believed before anything was learned.
PRIOR: dict[str, float] = {
    "e": 0.5, "e.exact": 1.0, "e.alias": 0.8, "e.words": 0.5, "e.capital": 0.5, "e.quoted": 1.0, "e.place": -0.4,
    "e.part": 0.2, "e.fuzzy": -0.3, "e.cue": -1.0,
    "k": 0.3, "k.recall": 1.0, "k.head": 0.4, "k.similar": 0.8, "h": 0.2, "h.plural": 0.3, "h.words": 0.5,
    "count.as_sum": 0.5, "e.ends": 1.5,
    "r": -0.1, "r.recall": 1.2, "r.similar": 0.8, "r.adjective": 1.2,
    "s.ends": -0.7, "s.ends.quality": 0.8, "s.starts": -0.8, "s.starts.quality": 0.6,
    "i": 0.6, "i.words": 0.2,
    "and.empty.named": -1.0, "bridge.two": -0.8, "walk.two": -0.6, "walk.empty": -1.5, "walk.back": -0.5,
    "r.where": -0.5, "r.when": -0.3, "r.target": -0.6, "skip.target": 0.4,
    "top.fold": 0.8, "top.by": 2.0, "top.far": -0.5, "s.flag": 0.3, "s.flag.quality": 0.5, "text": 1.0,
    "text.relation": 0.5, "text.empty": -1.0, "rank.folded": 0.3,
    "skip.S": -1.0, "skip.R": -1.0, "skip.N": -1.8, "skip.cue": -1.5, "skip.O": -1.5, "skip.I": -0.3,
    "skip.compared": -3.0, "root.idle": -1.0, "root.inapplicable": -1.0, "r.name.part": -0.8, "top.met": 0.2,
    "top.met.several": 0.4, "opposite": 0.3, "root.surrogate": -1.5, "root.summed": 2.0, "rank.within": 0.4,
    "count.through": 0.3, "each": 0.3, "each.number": 1.5, "each.own": 0.3, "top.number": 1.0, "places.ahead": 0.8,
    "root.each": 0.3, "bridge.each": 0.3, "and.stray": -1.5, "each.set": 0.3, "skip.E": -3.0,
    "bridge": -0.8, "bridge.share": 0.5, "bridge.similar": 1.0, "and": 0.2, "and.empty": -2.5, "and.union": -1.8,
    "or": -0.2, "value": -0.6, "value.fits": 0.5, "value.similar": 1.0, "value.adjective": 1.0, "value.empty": -1.5,
    "filter.empty": -1.5, "top.adjective": 1.5, "top.share": 0.8, "top.tried": -0.2, "top.single": -2.0,
    "top.similar": 0.8,
    "rank.fold": -0.2, "count.one": -0.3, "count.empty": -1.0, "fold.one": -0.5, "fold.over.one": -0.5,
    "except.all": -1.5, "except.none": -1.5, "root.empty": -1.5, "root.bad": -1.5, "root.all": -0.7, "root.tied": -1.0,
    "most": -0.2, "count.as_value.QS": 0.3, "count.values": -0.3, "compare.node": -0.2, "count.compared": -0.3,
    "n": 0.2, "places": 0.6, "place": 0.6, "fold.count": -0.5, "fold.rank": -0.3, "cue.comparative": 0.0,
    "cue.ordinal": -0.2, "r.related": 0.9, "s.domain": -0.8, "s.domain.quality": 0.5, "bare": -0.3, "root.echo": -1.5,
    "difference": 0.8, "e.end": -0.2, "k.any": 0.1, "k.any.share": 1.2, "than": -0.3, "skip.L": -1.5,
    "and.union.yes/no": -2.5, "root.when.nodes": -1.5, "root.where.number": -1.5, "root.where.date": -1.5,
    "root.who.number": -1.5, "root.who.date": -1.5, "root.how many.nodes": -0.5,
    "root.who.unfit": -0.7, "root.where.unfit": -0.7, "root.who.fits": 0.3, "root.where.fits": 0.3, "not.zero": 1.0,
    "walk.verb.owner.RS": 0.3, "walk.of.owner.RS": 0.2, "walk.verb.value.SR": 0.2, "r.again.key": 0.5,
    "target.ok": 0.5, "target.bad": -0.5,
    "root.counts.one": -2.5, "root.either": -3.0, "listing": 4.0, "listing.unread": -0.5,
}  # fmt: skip


@dataclass(slots=True)
class Weights:
    """Weights of features by name; those that are not named weigh nothing.

    Attributes:
        values: by feature.
        temperature: scores are divided by it before they become probabilities.
        calibration: weights of what makes the best program likely (``retrieval.programs.calibration``).
    """

    values: dict[str, float] = field(default_factory=lambda: dict(PRIOR))
    temperature: float = 1.0
    calibration: dict[str, float] = field(default_factory=lambda: {"one": -1.0, "probability": 1.0, "unread": -2.0})

    def score(self, features: Mapping[str, float] | tuple[tuple[str, float], ...]) -> float:
        """The weighted sum of features."""
        items = features.items() if isinstance(features, Mapping) else features
        return sum(self.values.get(name, 0.0) * value for name, value in items)

    def save(self, path: Path) -> None:
        """Write them as JSON, features sorted."""
        content = {
            "calibration": {k: round(v, 4) for k, v in sorted(self.calibration.items())},
            "temperature": round(self.temperature, 4),
            "weights": {k: round(v, 4) for k, v in sorted(self.values.items()) if round(v, 4)},
        }
        path.write_text(json.dumps(content, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Weights:
        """Read what :meth:`save` wrote."""
        content = json.loads(path.read_text(encoding="utf-8"))
        return cls(dict(content["weights"]), float(content["temperature"]), dict(content["calibration"]))
