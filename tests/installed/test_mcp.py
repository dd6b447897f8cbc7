"""``clew mcp`` as chat programs use it: by the official client, over standard input and output and over HTTP."""

import json
import socket
import subprocess
import time

import pytest

pytest.importorskip("mcp", reason="requirements.txt is not installed")

import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.support.clew import free_port

pytestmark = pytest.mark.slow

QUESTION = "How many countries border Chad?"


def open_stdio(clew, programs, token, url=None):
    environ = {"CLEW_URL": url or clew.url, "CLEW_TOKEN": token, "PATH": str(programs)}
    parameters = StdioServerParameters(command=str(programs / "clew"), args=["mcp"], env=environ)
    return Client(stdio_client(parameters))


def get_token(clew):
    return clew.session.headers["Authorization"].removeprefix("Bearer ")


def wait_for_port(port):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("nothing listens")


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    content = result.structured_content
    return content["result"] if set(content) == {"result"} else content


async def read_error(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text


async def test_tools_and_resources_over_stdio(clew, programs):
    async with open_stdio(clew, programs, get_token(clew)) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {
            *("list_graphs", "describe_graph", "search_entities", "list_neighbours", "find_paths"),
            *("ask", "run_program", "query_sparql"),
        }
        assert all(tool.annotations.read_only_hint for tool in tools)
        graph = (await call(client, "list_graphs"))[0]["id"]
        assert "borders" in json.dumps(await call(client, "describe_graph", graph=graph))
        chad, niger = [
            (await call(client, "search_entities", graph=graph, text=name, limit=1))[0]["id"]
            for name in ("Chad", "Niger")
        ]
        around = await call(client, "list_neighbours", graph=graph, entity=chad, relation="borders")
        assert "Niger" in json.dumps(around)
        paths = (await call(client, "find_paths", graph=graph, source=chad, target=niger))["paths"]
        assert {len(path) for path in paths} == {1}

        answered = await call(client, "ask", graph=graph, question=QUESTION)
        assert [answer["label"] for answer in answered["answers"]] == ["6"]
        again = await call(client, "run_program", graph=graph, question=QUESTION, program=answered["program"])
        assert [answer["label"] for answer in again["answers"]] == ["6"]
        rows = await call(client, "query_sparql", graph=graph, query=answered["sparql"])
        assert [float(row["number"]["value"]) for row in rows["results"]["bindings"]] == [6]
        construct = "CONSTRUCT { ?x <urn:near> ?y } WHERE { ?x <urn:clew:r:borders> ?y } LIMIT 1"
        assert "urn:near" in (await call(client, "query_sparql", graph=graph, query=construct))["@graph"][0]
        refused = await read_error(client, "query_sparql", graph=graph, query="CLEAR ALL")
        assert "cannot be changed by SPARQL updates" in refused
        evidence = await client.read_resource(answered["evidence"])
        assert "program.executed" in {event["type"] for event in json.loads(evidence.contents[0].text)}


async def test_http_takes_the_token_of_each_request(clew, programs):
    port = free_port()
    environ = {"CLEW_URL": clew.url, "PATH": str(programs)}
    with subprocess.Popen([programs / "clew", "mcp", "--http", str(port)], env=environ) as process:
        try:
            wait_for_port(port)
            for token, graphs in ((get_token(clew), ["Demo: world geography, people and works"]), (None, None)):
                headers = {"Authorization": f"Bearer {token}"} if token else {}
                async with httpx2.AsyncClient(headers=headers) as http:
                    transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
                    async with Client(transport) as client:
                        if graphs:
                            assert [row["name"] for row in await call(client, "list_graphs")] == graphs
                        else:
                            assert "There is no API token." in await read_error(client, "list_graphs")
        finally:
            process.terminate()


async def test_errors_say_what_to_do(clew, programs):
    async with open_stdio(clew, programs, "") as client:
        assert "There is no API token." in await read_error(client, "list_graphs")
    async with open_stdio(clew, programs, "clew_wrong") as client:
        assert "This token is not known, or has expired." in await read_error(client, "list_graphs")
    async with open_stdio(clew, programs, get_token(clew)) as client:
        assert "list_graphs" in await read_error(client, "ask", graph=99, question=QUESTION)
        service = {"op": "SERVICE"}
        message = await read_error(client, "run_program", graph=1, question=QUESTION, program=service)
        assert "there is no operation 'SERVICE'" in message
    async with open_stdio(clew, programs, get_token(clew), f"http://127.0.0.1:{free_port()}") as client:
        assert "Start it with `clew up`, or set CLEW_URL." in await read_error(client, "list_graphs")
