"""``clew mcp``: graphs as tools of the Model Context Protocol, for chat programs and agents.

The server is a client of Clew's HTTP API and keeps nothing: rights, quotas and errors are those of whoever's API token
is used. Nothing that it offers changes a graph.
"""

from __future__ import annotations

import time
from dataclasses import fields
from typing import Annotated, Any
from uuid import UUID

import anyio
import httpx2
from cyclopts import Parameter
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from retrieval import __version__
from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    PassagesRetrieved,
    PathRetrieved,
    ProgramExecuted,
    QuestionLinked,
)

INSTRUCTIONS = (
    "Clew answers questions over knowledge graphs and shows the facts behind each answer. Begin with list_graphs. "
    "Entities have numbers, which search_entities finds. Read clew://runs/{run}/evidence to check an answer."
)
ANSWER_WITHIN_S = 300.0
LOOK_EVERY_S = 0.1
CALL_WITHIN_S = 60.0
EVIDENCE = tuple(
    event.type for event in (QuestionLinked, ProgramExecuted, PathRetrieved, PassagesRetrieved, ChainsBuilt)
)
"""Types of events that show where an answer comes from."""

_UNKNOWN = "The tool list_graphs lists the graphs that this token may see."

Graph = Annotated[int, Field(description="number of a graph, from list_graphs")]
Entity = Annotated[int, Field(description="number of an entity, from search_entities")]


class GraphRow(BaseModel):
    """A graph in a list."""

    id: int
    name: str
    description: str
    state: str
    entities: int | None
    relations: int | None
    triples: int | None
    passages: int | None
    examples: list[str]


class ApiClient:
    """Calls Clew's API for one request of a client.

    Args:
        url: address of Clew.
        token: API token; of the request itself where it came over HTTP.
    """

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self.token = token

    async def call(self, method: str, path: str, **options: Any) -> Any:
        """The JSON that the API answers with.

        Raises:
            ResourceError: there is no token, Clew does not answer, or it refuses; the message says what to do.
        """
        if not self.token:
            raise ResourceError(
                "There is no API token. Make one on the page Account of Clew, with the scopes read and ask, and set "
                "CLEW_TOKEN, or over HTTP send it as `Authorization: Bearer TOKEN`."
            )
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        try:
            async with httpx2.AsyncClient(base_url=f"{self.url}/api/v1/", timeout=CALL_WITHIN_S) as client:
                response = await client.request(method, path, headers=headers, **options)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ResourceError(
                f"Clew does not answer at {self.url} ({type(error).__name__}). "
                "Start it with `clew up`, or set CLEW_URL."
            ) from None
        try:
            content = response.json()
        except ValueError:
            raise ResourceError(f"What answers at {self.url} is not Clew's API. Set CLEW_URL to its address.") from None
        if response.status_code == httpx2.codes.NOT_FOUND and path.partition("/")[0] in ("graphs", "runs"):
            raise ResourceError(f"{_format_error(content, response.status_code)} {_UNKNOWN}")
        if response.is_error:
            raise ResourceError(_format_error(content, response.status_code))
        return content


def _format_error(content: Any, status: int) -> str:
    error = content.get("error", {}) if isinstance(content, dict) else {}
    parts = [error.get("message") or f"Clew answers with status {status}.", error.get("hint")]
    parts += [f"{name}: {text}" for name, text in (error.get("fields") or {}).items()]
    return " ".join(part for part in parts if part)


def make_server(url: str, token: str | None) -> MCPServer:
    """The tools and resources.

    Args:
        url: address of Clew.
        token: API token for all requests; None where each brings its own, over HTTP.
    """
    server: MCPServer = MCPServer("Clew", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    read_only = server.tool(annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))

    def get_client(context: Context[Any, Any]) -> ApiClient:
        if token is not None:
            return ApiClient(url, token)
        scheme, _, value = (context.headers or {}).get("authorization", "").partition(" ")
        return ApiClient(url, value.strip() if scheme.lower() == "bearer" else "")

    @read_only
    async def list_graphs(context: Context[Any, Any]) -> list[GraphRow]:
        """List the knowledge graphs: number, name, size, state, and questions that each answers."""
        rows = await get_client(context).call("GET", "graphs", params={"page_size": 200})
        return [GraphRow(**{name: row[name] for name in GraphRow.model_fields}) for row in rows["results"]]

    @read_only
    async def describe_graph(graph: Graph, context: Context[Any, Any]) -> dict[str, Any]:
        """Describe the data model of a graph: kinds of entities, and the relations between them with counts."""
        return dict(await get_client(context).call("GET", f"graphs/{graph}/schema"))

    @read_only
    async def search_entities(
        graph: Graph, text: str, context: Context[Any, Any], limit: int = 10
    ) -> list[dict[str, Any]]:
        """Find entities of a graph by a part of their name; an empty text lists the best-connected."""
        params = {"q": text, "limit": limit}
        rows = await get_client(context).call("GET", f"graphs/{graph}/entities", params=params)
        return list(rows)

    @read_only
    async def list_neighbours(
        graph: Graph,
        entity: Entity,
        context: Context[Any, Any],
        *,
        relation: str | None = None,
        direction: Annotated[str | None, Field(description="of the facts: out or in")] = None,
        limit: int = 50,
    ) -> dict[str, Any]:
        """List the facts around an entity by relation; with a relation, those of it alone."""
        params = {"entity": entity, "relation": relation, "direction": direction, "limit": limit}
        chosen = {name: value for name, value in params.items() if value is not None}
        return dict(await get_client(context).call("GET", f"graphs/{graph}/neighbours", params=chosen))

    @read_only
    async def find_paths(
        graph: Graph, source: Entity, target: Entity, context: Context[Any, Any], hops: int = 4
    ) -> dict[str, Any]:
        """Find the shortest paths between two entities, whichever way their facts point."""
        params = {"source": source, "target": target, "hops": hops}
        return dict(await get_client(context).call("GET", f"graphs/{graph}/paths", params=params))

    @read_only
    async def ask(
        graph: Graph,
        question: str,
        context: Context[Any, Any],
        follows: Annotated[UUID | None, Field(description="run of the question before, for a follow-up")] = None,
    ) -> dict[str, Any]:
        """Answer a question in English over a graph, with confidences and the program that computed the answers."""
        body = {"graph": graph, "question": question, "follows": str(follows) if follows else None}
        return await _run(get_client(context), body)

    @read_only
    async def run_program(
        graph: Graph, question: str, program: dict[str, Any], context: Context[Any, Any]
    ) -> dict[str, Any]:
        """Run a program in the form that `ask` returns, perhaps edited; `question` says in words what it computes."""
        return await _run(get_client(context), {"graph": graph, "question": question, "program": program})

    @read_only
    async def query_sparql(graph: Graph, query: str, context: Context[Any, Any]) -> dict[str, Any]:
        """Run a SPARQL query over a graph; entities are <urn:clew:e:LABEL>, or their own IRIs where they have any."""
        result = await get_client(context).call("POST", f"graphs/{graph}/sparql", data={"query": query})
        return result if isinstance(result, dict) else {"@graph": result}  # JSON-LD, of CONSTRUCT and DESCRIBE

    @server.resource("clew://runs/{run}", name="run", mime_type="application/json")
    async def read_run(run: str, context: Context[Any, Any]) -> Any:
        """A question that was asked: its state, method, answers and errors."""
        return await get_client(context).call("GET", f"runs/{run}")

    @server.resource("clew://runs/{run}/evidence", name="evidence", mime_type="application/json")
    async def read_evidence(run: str, context: Context[Any, Any]) -> Any:
        """What the answers of a run rest on: linked entities, the program with its steps, paths and passages."""
        events = await get_client(context).call("GET", f"runs/{run}/events")
        return [event for event in events if event["type"] in EVIDENCE]

    return server


async def _run(client: ApiClient, body: dict[str, Any]) -> dict[str, Any]:
    """Ask, wait for the end, and return what came out.

    Raises:
        ResourceError: it failed, or is not done in time.
    """
    run = (await client.call("POST", "runs", json=body))["id"]
    deadline = time.monotonic() + ANSWER_WITHIN_S
    while (row := await client.call("GET", f"runs/{run}"))["state"] in ("queued", "running"):
        if time.monotonic() > deadline:
            raise ResourceError(f"The run {run} is not done yet. Read clew://runs/{run} later.")
        await anyio.sleep(LOOK_EVERY_S)
    if row["state"] != "done":
        raise ResourceError(_format_error({"error": row["error"] or {"message": f"The run {row['state']}."}}, 200))
    events = {event["type"]: event for event in await client.call("GET", f"runs/{run}/events")}
    final, executed = events[AnswerFinal.type], events.get(ProgramExecuted.type)
    result = {field.name: final[field.name] for field in fields(AnswerFinal) if final.get(field.name)}
    if executed is not None:
        reading = executed["read"]
        result |= {"reading": reading["text"], "program": reading["program"]}
        result |= {"sparql": executed["sparql"], "cypher": executed["cypher"]}
    return {"run": run, "page": f"{client.url}/runs/{run}", "evidence": f"clew://runs/{run}/evidence", **result}


def serve(
    *,
    url: Annotated[str, Parameter(env_var="CLEW_URL")] = "http://127.0.0.1:8000",
    token: Annotated[str, Parameter(env_var="CLEW_TOKEN", show_default=False)] = "",
    http: int | None = None,
) -> int:
    """Offer graphs to chat programs and agents as an MCP server, over standard input and output or over HTTP.

    Args:
        url: address of Clew.
        token: API token with the scopes read and ask. Over HTTP each request brings its own.
        http: port on this machine to serve at, as http://127.0.0.1:PORT/mcp.
    """
    if http is None:
        make_server(url, token).run("stdio")
    else:
        make_server(url, None).run("streamable-http", port=http, stateless_http=True, json_response=True)
    return 0
