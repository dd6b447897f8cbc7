"""What the client can do, each as a generator of steps: see :mod:`clew.steps`."""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Unpack

from clew import steps
from clew.answer import Answer
from clew.errors import ApiError, build_error
from clew.steps import Steps
from clew.types import (
    AskRequest,
    EvaluateRequest,
    Graph,
    Job,
    QuestionSet,
    Queue,
    ReportDetail,
    Retrieval,
    RetrieveRequest,
    Run,
    UploadRequest,
)

PIECE = 4 * 2**20
"""Bytes of a file that are sent at once."""
AT_ONCE = 8
"""Questions of a batch that wait or are answered at a time."""
RETRIEVED_AT_ONCE = 20
"""Questions that the server takes in one retrieval."""


class Calls:
    """Calls of the API.

    Args:
        url: address of the server, without a slash at the end.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, /, method: str, path: str, **options: Any) -> Steps[Any]:
        """Call any address of the API and return its JSON, such as ``call("GET", "graphs/1/schema")``.

        Args:
            path: what follows ``/api/v1/`` in the schema.
            options: those of httpx: ``params``, ``json``, ``headers``.

        Raises:
            ApiError: the call is refused, or there is no response.
        """
        return steps.call(method, path, **options)

    def list_graphs(self) -> Steps[list[Graph]]:
        """Return the graphs that the token may see."""
        return steps.list_all("graphs")

    def list_question_sets(self) -> Steps[list[QuestionSet]]:
        """Return the question sets that the token may see."""
        return steps.list_all("question-sets")

    def list_review_queues(self) -> Steps[list[Queue]]:
        """Return the review queues that the token may see."""
        return steps.list_all("review/queues")

    def upload_graph(
        self,
        name: str,
        files: Sequence[str | Path],
        *,
        progress: Callable[[int, int], object] | None = None,
        timeout: float | None = None,
        **settings: Unpack[UploadRequest],
    ) -> Steps[Graph]:
        """Upload files, wait until they are imported, and return the graph.

        Args:
            name: of the new graph.
            files: paths of files on this machine.
            progress: called with the bytes that have arrived and the bytes of all files.
            timeout: seconds to wait for the import; unlimited unless given.
            settings: of the import.

        Raises:
            ApiError: a file is refused, or the import fails.
        """
        uploads = yield from self._send_files(files, progress)
        created = yield from steps.call("POST", "graphs", json={"name": name, "uploads": uploads, **settings})
        yield from self.wait_for_job(created["job"]["id"], timeout=timeout)
        graph: Graph = yield from steps.call("GET", f"graphs/{created['graph']['id']}", repeat=True)
        return graph

    def upload_questions(
        self, graph: int, name: str, file: str | Path, *, progress: Callable[[int, int], object] | None = None
    ) -> Steps[QuestionSet]:
        """Upload a file of questions with their answers, in a format that ``docs/evaluation.md`` names.

        Raises:
            ApiError: the file is refused.
        """
        (upload,) = yield from self._send_files([file], progress)
        body = {"graph": graph, "name": name, "upload": upload}
        questions: QuestionSet = yield from steps.call("POST", "question-sets", json=body)
        return questions

    def start_run(self, graph: int, question: str, **settings: Unpack[AskRequest]) -> Steps[Run]:
        """Ask a question without waiting for the answer."""
        run: Run = yield from steps.call("POST", "runs", json={"graph": graph, "question": question, **settings})
        return run

    def stop_run(self, run: str) -> Steps[None]:
        """Stop a run; one that has ended stays as it is."""
        try:
            yield from steps.call("POST", f"runs/{run}/cancel")
        except ApiError as error:
            if error.status != 409:
                raise

    def wait_for_answer(self, run: str, *, timeout: float | None = 300.0) -> Steps[Answer]:
        """Wait until a run has ended, and return its answer.

        Args:
            run: its id.
            timeout: seconds; None waits without an end.

        Raises:
            ApiError: the run failed or was stopped, or has not ended in time.
        """
        answer = yield from self._collect_answer(run, timeout)
        if answer.run["state"] in ("failed", "cancelled"):
            raise build_error(answer.run["error"] or {"message": "The run was stopped.", "code": "cancelled"})
        return answer

    def ask(
        self, graph: int, question: str, *, timeout: float | None = 300.0, **settings: Unpack[AskRequest]
    ) -> Steps[Answer]:
        """Ask a graph a question in English, wait, and return the answer.

        Args:
            graph: number of the graph.
            question: the question; ``follows=answer.run["id"]`` makes it a follow-up.
            timeout: seconds to wait.
            settings: method, checkpoint, budget and the like.

        Raises:
            ApiError: the question is refused, or the run fails. That there is no answer is not an error.
        """
        run = yield from self.start_run(graph, question, **settings)
        return (yield from self.wait_for_answer(run["id"], timeout=timeout))

    def ask_all(
        self, graph: int, questions: Iterable[str], *, timeout: float | None = 300.0, **settings: Unpack[AskRequest]
    ) -> Steps[list[Answer]]:
        """Ask several questions, a few at a time, and return their answers in order.

        A run that fails does not stop the others: its ``answer.run["error"]`` says why.

        Args:
            timeout: seconds to wait for each answer once those before it are there.

        Raises:
            ApiError: a question is refused, or takes too long.
        """
        answers, going = [], deque[str]()
        for question in questions:
            if len(going) == AT_ONCE:
                answers.append((yield from self._collect_answer(going.popleft(), timeout)))
            run = yield from self.start_run(graph, question, **settings)
            going.append(run["id"])
        for waiting in going:
            answers.append((yield from self._collect_answer(waiting, timeout)))
        return answers

    def retrieve(
        self, graph: int, questions: str | Sequence[str], **settings: Unpack[RetrieveRequest]
    ) -> Steps[list[Retrieval]]:
        """Retrieve ranked paths, triples and passages for questions, without answering them.

        Raises:
            ApiError: a question is refused, or the retrieval takes longer than ``wait_s`` (60 unless given).
        """
        texts = [questions] if isinstance(questions, str) else list(questions)
        results: list[Retrieval] = []
        for start in range(0, len(texts), RETRIEVED_AT_ONCE):
            body = {"graph": graph, "questions": texts[start : start + RETRIEVED_AT_ONCE], **settings}
            wait = settings.get("wait_s", 60.0) + 10.0
            results += (yield from steps.call("POST", "retrieve", json=body, timeout=wait))["results"]
        return results

    def start_evaluation(
        self, graph: int, question_set: int, **settings: Unpack[EvaluateRequest]
    ) -> Steps[ReportDetail]:
        """Start an evaluation without waiting; the report that it fills."""
        body = {"graph": graph, "question_set": question_set, **settings}
        report: ReportDetail = (yield from steps.call("POST", "reports", json=body))["report"]
        return report

    def wait_for_evaluation(
        self, report: int, *, progress: Callable[[Job], object] | None = None, timeout: float | None = None
    ) -> Steps[ReportDetail]:
        """Wait until an evaluation has ended, and return its report.

        Args:
            progress: called now and then with the job, whose ``overall`` goes from 0 to 1.

        Raises:
            ApiError: it failed or was stopped, or has not ended in time.
        """
        row = yield from steps.call("GET", f"reports/{report}", repeat=True)
        if row["job"] is not None and row["state"] in ("queued", "running"):
            yield from self.wait_for_job(row["job"], progress=progress, timeout=timeout)
        ended: ReportDetail = yield from steps.poll(f"reports/{report}", timeout)
        _require_done(ended["state"], ended["error"])
        return ended

    def evaluate(
        self,
        graph: int,
        question_set: int,
        *,
        progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **settings: Unpack[EvaluateRequest],
    ) -> Steps[ReportDetail]:
        """Start an evaluation, wait for its end, and return the report with its metrics.

        Raises:
            ApiError: it is refused, fails, or has not ended in time.
        """
        report = yield from self.start_evaluation(graph, question_set, **settings)
        return (yield from self.wait_for_evaluation(report["id"], progress=progress, timeout=timeout))

    def wait_for_job(
        self, job: int, *, progress: Callable[[Job], object] | None = None, timeout: float | None = None
    ) -> Steps[Job]:
        """Wait until a job has ended.

        Raises:
            ApiError: it failed or was stopped, or has not ended in time.
        """
        row: Job = yield from steps.poll(f"jobs/{job}", timeout, progress)
        _require_done(row["state"], row["error"])
        return row

    def export_review(self, queue: int, format: str = "jsonl") -> Steps[str]:
        """Return what was judged in a review queue as text.

        Args:
            format: ``jsonl`` for labels, ``csv`` for every verdict, ``questions`` for questions with their answers.
        """
        path = f"review/queues/{queue}/export"
        return (yield from steps.send("GET", path, repeat=True, params={"format": format})).text

    def _collect_answer(self, run: str, timeout: float | None) -> Steps[Answer]:
        yield from steps.poll(f"runs/{run}", timeout)
        export = yield from steps.call("GET", f"runs/{run}/export", repeat=True)
        return Answer(export["run"], export["events"], export["sources"], f"{self.url}/runs/{run}")

    def _send_files(
        self, files: Sequence[str | Path], progress: Callable[[int, int], object] | None
    ) -> Steps[list[str]]:
        """Send files by the tus protocol, going on where a connection broke; their upload ids."""
        paths = [Path(file) for file in files]
        total, sent, uploads = sum(path.stat().st_size for path in paths), 0, []
        for path in paths:
            name = base64.b64encode(path.name.encode()).decode()
            headers = {"Tus-Resumable": "1.0.0", "Upload-Metadata": f"filename {name}"}
            length = {"Upload-Length": str(path.stat().st_size)}
            created = yield from steps.send("POST", "uploads", headers={**headers, **length})
            uploads.append(created.headers["Location"].rpartition("/")[2])
            with path.open("rb") as file:
                offset = 0
                while piece := file.read(PIECE):
                    offset = yield from _send_piece(uploads[-1], offset, piece)
                    file.seek(offset)
                    if progress is not None:
                        progress(sent + offset, total)
            sent += offset
        return uploads


def _send_piece(upload: str, offset: int, piece: bytes) -> Steps[int]:
    """Send a piece of a file; how many bytes of the file have arrived, also where the connection broke."""
    tus = {"Tus-Resumable": "1.0.0"}
    headers = {**tus, "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
    try:
        response = yield from steps.send("PATCH", f"uploads/{upload}", headers=headers, content=piece)
    except ApiError as error:
        if error.code != "no_response":
            raise
        response = yield from steps.send("HEAD", f"uploads/{upload}", repeat=True, headers=tus)
    return int(response.headers["Upload-Offset"])


def _require_done(state: str, error: object) -> None:
    if state != "done":
        raise build_error(error or {"message": f"It was {state}.", "code": state})
