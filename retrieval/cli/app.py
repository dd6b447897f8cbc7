"""The commands, by name. Each is a function of this package: its parameters are the options, its docstring their help.

A command's module is imported when it runs, so that ``--help`` is instant.
"""

from __future__ import annotations

from cyclopts import App, Parameter

app = App(
    help="Question answering over knowledge graphs, without a server.",
    version_flags=(),
    default_parameter=Parameter(negative_iterable=()),
    result_action="return_value",
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
)

for _name, _function, _help in (
    ("build-graph", "graphs:build_graph", "Build a graph from files of facts."),
    (
        "build-corpus",
        "graphs:build_corpus",
        "Build a graph of passages from documents, with the facts that come with them.",
    ),
    (
        "index",
        "graphs:index",
        "Index a graph that was built without, or what an earlier version of Clew did not index.",
    ),
    ("export-graph", "graphs:export_graph", "Write a graph as a file that other programs read and that imports again."),
    ("infer-model", "graphs:infer_model", "Print the data model of files: kinds, names, keys, references."),
    (
        "propose-shapes",
        "graphs:propose",
        "Print SHACL shapes that the RDF data of files keeps, as Turtle.",
    ),
    ("preview", "graphs:preview", "Show what a file is taken for, and its first rows."),
    ("import-questions", "questions:import_questions", "Bring a question file into Clew's JSONL form."),
    (
        "check-questions",
        "questions:check",
        "Count the names of a question set that a graph has, and list those that it lacks.",
    ),
    (
        "sample-questions",
        "questions:sample",
        "Write questions made from walks of a graph, with their answers and paths.",
    ),
    (
        "export-dataset",
        "questions:export_dataset",
        "Write questions and labels as a folder for Hugging Face datasets and Croissant.",
    ),
    ("label", "questions:label", "Find the rational paths of each question."),
    (
        "combine-labels",
        "questions:combine_labels",
        "Write the union or the intersection of two label files.",
    ),
    ("synthesise", "synthesis:synthesise", "Make trajectories that an agent learns from."),
    ("train", "training:train", "Train a retriever; the same command goes on where it was stopped."),
    ("self-train", "training:self_train", "Train on questions written from the graph's own words."),
    ("evaluate", "evaluation:evaluate", "Measure a retriever and a reasoner."),
    ("report", "evaluation:render", "Write the readable page of a report."),
    ("compare", "evaluation:compare", "Compare reports of the same questions, question by question."),
    (
        "faithfulness",
        "evaluation:faithfulness",
        "Ask a language model whether right answers rest on the retrieved paths.",
    ),
    (
        "answers",
        "evaluation:answers",
        "Exact match and token F1 of a report's answers, and a language model's judgement of them.",
    ),
    (
        "extract",
        "extraction:extract",
        "Read a graph in the passages of a corpus with a language model; goes on where it was stopped.",
    ),
    (
        "study",
        "studies:study",
        "Train and test many variants, sets, shares and seeds; goes on where it was stopped.",
    ),
    (
        "reproduce",
        "studies:reproduce",
        "Run a study's capsule again and print what came out otherwise.",
    ),
    ("ask", "asking:ask", "Ask one question."),
    (
        "serve-model",
        "local_model:serve",
        "Serve a small language model on this machine.",
    ),
    ("why-not", "why_not:why_not", "Say why a question does not give an answer that is expected."),
    (
        "build-weights",
        "weights:build_weights",
        "Build the weights that come with Clew again, and measure them on held-out graphs.",
    ),
    ("plug-ins", "plugins:list_all", "List what installed packages add to Clew, and what of it cannot be used."),
    ("doctor", "doctor:doctor", "Read all of a graph or checkpoint and say what is damaged."),
):
    app.command(f"retrieval.cli.{_function}", name=_name, help=_help)
