"""Wordings by the form of a relation's name: modifiers behind a noun, and whole questions, parted by ``/``.

``{a}`` is what the step starts from, and ``{was}``, ``{is}``, ``{do}`` and ``{have}`` agree with it; ``{k}`` is a noun
of what is reached, with which ``{was_k}``, ``{is_k}`` and ``{have_k}`` agree; ``{s}`` is a noun of what the step starts
from. Words in ``<>`` come from the relation's name. A form walked backward has a ``-`` before its name.
"""

from __future__ import annotations

MODS: dict[str, str] = {
    "act": "who <past> {a} / that <past> {a} / {a} {was} <participle> by",
    "-act": "<participle> by {a} / <participle> by {a} / that {a} <past> / {a} <past> / which {a} <past> "
    "/ that {was_k} <participle> by {a}",
    "-act agent": "of which {a} {was} the <noun> / with {a} as <noun>",
    "-act also": "<participle> by {a}",
    "of": "that {a} {is} <noun> of / whose <noun> {is} {a}",
    "did": "{a} <past> <link> / where {a} <past> / that {a} <past> <link> / <link> which {a} <past>",
    "-did": "who <past> <link> {a} / that <past> <link> {a} / <ing> <link> {a}",
    "finite": "that {a} <verb> <link> / which {a} <verb> <link>",
    "-finite": "that <verb> <link> {a} / <ing> <link> {a}",
    "state": "{a} {was} <verb> <link> / that {a} {was} <verb> <link>",
    "state place": "where {a} {was} <verb>",
    "state time": "when {a} {was} <verb>",
    "-state": "<verb> <link> {a} / that {was_k} <verb> <link> {a} / who {was_k} <verb> <link> {a}",
    "within": "{a} {is} in / where {a} {is} / that {a} {is} located in / in which {a} {is}",
    "-within": "in {a} / that {is_k} in {a} / of {a} / located in {a}",
    "verb": "that {a} <verb> / {a} <verb> / which {a} <verb>",
    "-verb": "that <several> {a} / which <verb> {a} / who <verb> {a} / <ing> {a}",
    "-noun": "of the <noun> {a} / of {a} / with the <noun> {a} / having {a} as <noun>",
    "-noun name": "whose <noun> {is} {a} / with <noun> {a} / with {a} as <noun> / that have the <noun> {a}",
    "lead": "{a} {is} in / used in {a} / in {a}",
    "-lead": "in {a} / in {a} / in the <noun> {a} / that {is_k} in {a}",
    "-about": "about {a} / on {a} / that deal with {a} / tagged {a} / described by {a} / tagged with {a}",
    "doing": "who <verb> in {a} / <verb> in {a} / <verb> by {a}",
    "-doing": "{a} <verb> in / <verb> by {a}",
    "playing": "who starred in {a} / who acted in {a} / who appeared in {a} / who played in {a} / who appear in {a} "
    "/ that starred in {a} / that acted in {a} / that appeared in {a} / that played in {a}",
    "-playing": "starring {a} / with {a} / featuring {a} / {a} starred in / {a} acted in / {a} appeared in "
    "/ {a} played in / that {a} starred in / that {a} acted in / that {a} appears in / which {a} starred in "
    "/ which {a} appeared in / in which {a} starred / in which {a} played / starred by {a}",
    "was when": "when {a} {was} <done> / {a} {was} <done> in / in which {a} {was} <done>",
    "did when": "when {a} <past> / {a} <past> in / in which {a} <past>",
    "was where": "where {a} {was} <done> / {a} {was} <done> in",
    "did where": "where {a} <past> / {a} <past> in",
    "did why": "{a} <past> of",
    "-was": "<done> in {a} / that {was_k} <done> in {a}",
    "-did event": "who <past> in {a} / that <past> in {a}",
    "-out": "that came out in {a} / from {a}",
}  # fmt: skip

ASKS: dict[str, str] = {
    "act": "who <past> {a} / by whom {was} {a} <participle> / {a} {was} <participle> by whom / which {k} <past> {a} "
    "/ which person <past> {a} / who {was} {a} <participle> by",
    "act agent": "who {is_k} listed as <noun> of {a} / who {is_k} the <noun> of {a}",
    "act also": "{a} {was} <participle> by who",
    "-act": "which {k} did {a} <base> / what {k} did {a} <base> / what did {a} <base> "
    "/ which {k} {was_k} <participle> by {a} / what {k} {have} {a} <participle> / {a} <past> which {k} "
    "/ {a} <past> what",
    "-act agent": "{a} {is} the <noun> of which {k}",
    "of": "what {is} {a} the <noun> of / which {k} {is} {a} <noun> of",
    "-of": "who {is_k} the <noun> of {a} / which {k} {is_k} <noun> of {a} / what {is_k} the <noun> of {a}",
    "did": "where did {a} <base> / where did {a} <base> / which {k} did {a} <base> <link> / {a} <past> where "
    "/ what did {a} <base> <link> / {a} <past> <link> which {k} / <link> which {k} did {a} <base>",
    "-did": "who <past> <link> {a} / which {k} <past> <link> {a} / what <past> <link> {a}",
    "finite": "which {k} {do} {a} <base> <link> / what {do} {a} <base> <link>",
    "-finite": "which {k} <verb> <link> {a} / what <verb> <link> {a}",
    "state": "which {k} {was} {a} <verb> <link> / what {was} {a} <verb> <link> / {a} {was} <verb> <link> what",
    "state place": "where {was} {a} <verb> / where {is} {a} <verb>",
    "state time": "when {was} {a} <verb> / when {was} {a} <verb> / when {was} {a} <verb>",
    "-state": "which {k} {was_k} <verb> <link> {a} / who was <verb> <link> {a} / what was <verb> <link> {a}",
    "within": "which {k} {is} {a} in / where {is} {a} / in what {k} {is} {a} / {a} {is} in which {k} "
    "/ where {is} {a} located",
    "-within": "which {k} {is_k} in {a} / what {k} {is_k} there in {a} / what {k} {do} {a} have",
    "verb": "which {k} <do> {a} <base> / what <do> {a} <base>",
    "-verb": "which {k} <several> {a} / what <verb> {a} / who <verb> {a}",
    "noun": "{a} {have} which <noun> / what {is_k} the <noun> of {a} / which <noun> {do} {a} have",
    "noun name": "what <noun> {do} {a} have / what {is_k} the <noun> of {a} / what <noun> {is} {a}",
    "noun who": "who {is_k} the <noun> of {a}",
    "noun where": "where {is} {a}",
    "noun plain": "{a} {is} of which <noun> / {a} {is} what <noun>",
    "noun kind": "what <noun> of {s} {is} {a} / what <noun> of {s} {is} {a}",
    "-noun": "which {k} {have_k} the <noun> {a} / which {k} {have_k} {a} as <noun> / what has the <noun> {a} "
    "/ {a} {is} the <noun> of which {k} / {a} {is} the <noun> of what / whose <noun> {is} {a}",
    "lead": "{a} {is} in which <noun> / what <noun> {is} {a} in / in which <noun> {is} {a}",
    "-lead": "which {k} {is_k} in {a} / what {k} {is_k} in {a}",
    "-about": "which {k} {is_k} about {a} / what {k} {is_k} about {a} / which {k} can be described by {a}",
    "doing": "who <verb> in {a} / which {k} <verb> in {a}",
    "-doing": "which {k} {was} {a} <verb> in / what has <verb> {a}",
    "playing": "who starred in {a} / who acted in {a} / who appears in {a} / who stars in {a} / who played in {a} "
    "/ who were the actors in {a}",
    "-playing": "which {k} did {a} star in / which {k} did {a} act in / which {k} did {a} appear in "
    "/ which {k} star {a} / which {k} does {a} appear in / which {k} feature {a} "
    "/ {a} acted in which {k} / what did {a} star in / {a} starred in what / what {k} {is} {a} in",
    "was when": "when {was} {a} <done> / when {was} {a} <done> / in what <noun> {was} {a} <done> "
    "/ what <noun> {was} {a} <done> / {a} {was} <done> when / {a} {was} <done> in which <noun>",
    "did when": "when did {a} <done> / when did {a} <done> / in what <noun> did {a} <done> "
    "/ what <noun> did {a} <done> / {a} <past> when / {a} <past> in which <noun>",
    "was where": "where {was} {a} <done> / where {was} {a} <done> / in which {k} {was} {a} <done> "
    "/ {a} {was} <done> where",
    "did where": "where did {a} <done> / where did {a} <done> / in which {k} did {a} <done> / {a} <past> where",
    "did why": "how did {a} <done> / why did {a} <done> / what did {a} <done> of",
    "-was": "which {k} {was_k} <done> in {a} / what was <done> in {a} / who was <done> in {a}",
    "-did event": "which {k} <past> in {a} / who <past> in {a}",
    "out": "when did {a} come out / what <noun> did {a} come out",
    "-out": "which {k} came out in {a}",
}  # fmt: skip
