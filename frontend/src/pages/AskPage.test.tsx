import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { RouterProvider, createMemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import { graphsQuery, keys } from "@/api/queries";
import type { Graph, MethodInfo, Status } from "@/api/types";
import { useSettings } from "@/store/settings";
import { AskPage } from "./AskPage";

const method: MethodInfo = {
  ...{ id: "rel-rag-path", label: "Relation paths", description: "", trained: true, available: true },
  ...{
    standalone: false,
    steerable: false,
    on_endpoints: false,
    takes_written_programs: true,
    needs: ["facts"],
  },
};
const status = {
  ...{
    version: "1",
    encoder: "e",
    workers: { answers: 1, jobs: 1 },
    troubles: [],
    llm: { configured: false, model: null, name: null },
  },
  ...{ methods: [method], budgets: { default: 50, max: 500 }, question_max: 500, label_strategies: [] },
} satisfies Status;
const graph = {
  ...{ id: 1, name: "World", state: "ready", index_state: "ready", triples: 9, entities: 5, relations: 2 },
  ...{ passages: 0, snapshot: null, checkpoint: null, examples: [], endpoint: null },
} as unknown as Graph;
const used = {
  ...{ id: 1, method: "rel-rag-path", graph: 1, current: true, in_use: true, promoted_at: null },
  ...{ fingerprint: "used123456", question_set_name: "Q", created_at: "2026-01-01T00:00:00Z", metrics: {} },
};
const candidate = {
  ...used,
  ...{ id: 2, in_use: false, fingerprint: "candidate9", created_at: "2026-01-02T00:00:00Z" },
};
const peru = { id: 7, label: "Peru", kind: "entity", degree: 3, score: 1, source: "exact" };
const switzerland = { ...peru, id: 10, label: "Switzerland" };

type Answer = [status: number, body: unknown] | "away";

/** A server that knows two countries; `now` may change what it answers. */
function serve(now: Record<string, () => Answer | Promise<Answer>> = {}) {
  const sent: Record<string, unknown>[] = [];
  const all: Record<string, () => Answer> = {
    status: () => [200, status],
    graphs: () => [200, { count: 1, results: [graph] }],
    checkpoints: () => [200, { count: 0, results: [] }],
    "graphs/1/entities": () => [200, [switzerland, peru]],
    runs: () => [201, { id: "r1", question: "", graph: 1, state: "queued" }],
  };
  vi.stubGlobal("fetch", (url: string, { body }: { body?: string }) => {
    const call = url.replace("/api/v1/", "").replace(/\?.*/, "");
    if (call === "runs" && body) sent.push(JSON.parse(body) as Record<string, unknown>);
    return Promise.resolve((now[call] ?? all[call])?.() ?? ([404, {}] as Answer)).then((answer) => {
      if (answer === "away") throw new TypeError("Failed to fetch");
      return new Response(JSON.stringify(answer[1]), { status: answer[0] });
    });
  });
  return sent;
}

function open(at = "/?graph=1", cache = makeCache()) {
  const routes = [
    { path: "/", element: <AskPage /> },
    { path: "/runs/:id", element: <p>The run</p> },
  ];
  const router = createMemoryRouter(routes, { initialEntries: [at] });
  render(
    <QueryClientProvider client={cache}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

const box = () => screen.getByLabelText("Question");
const write = (value: string) => fireEvent.change(box(), { target: { value } });
const press = (name = "Ask") => fireEvent.click(screen.getByText(name, { selector: "button" }));
const pick = async (name: string) =>
  fireEvent.mouseDown(await screen.findByText(name, { selector: "li > .elide bdi" }));
const opened = () => screen.findByText(graph.name, { selector: ".welcome h1 bdi", exact: false });

beforeEach(() => {
  sessionStorage.clear();
  useSettings.setState(useSettings.getInitialState(), true);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("lets a pinned topic go with its name, and asks the next question without it", async () => {
  const sent = serve();
  open();
  await opened();
  write("capital of @Swi");
  await pick("Switzerland");
  expect(box()).toHaveValue("capital of Switzerland ");
  expect(screen.getByTitle(/^Pinned by you, until “Switzerland” goes/)).toHaveTextContent(
    "pinned: Switzerland",
  );
  write("");
  write("capital of Peru");
  expect(screen.queryByTitle(/^Pinned by you/)).toBeNull();
  press();
  await screen.findByText("The run");
  expect(sent).toEqual([{ graph: 1, question: "capital of Peru", seed: 7, method: "rel-rag-path" }]);
});

it("sends the topics that are pinned", async () => {
  const sent = serve();
  open();
  await opened();
  write("capital of @Swi");
  await pick("Switzerland");
  press();
  await screen.findByText("The run");
  expect(sent).toMatchObject([{ question: "capital of Switzerland", entities: [10] }]);
});

it("leaves the checkpoint to the server, unless one was named", async () => {
  const sent = serve({ checkpoints: () => [200, { count: 2, results: [candidate, used] }] });
  open();
  await opened();
  expect(await screen.findByText("in use", { selector: ".badge" })).toBeVisible();
  write("capital of Peru");
  press();
  await screen.findByText("The run");
  cleanup();
  open("/?graph=1&checkpoint=2");
  await opened();
  expect(await screen.findByText("candidate", { selector: ".badge" })).toBeVisible();
  write("capital of Peru");
  press();
  await screen.findByText("The run");
  expect(sent.map((body) => body.checkpoint)).toEqual([undefined, 2]);
});

it("asks with the settings of the method that the address has", async () => {
  const beam = { name: "hops", type: "int", default: 3, about: "", choices: [], least: 1 };
  const setting = { ...beam, above: null, below: null };
  const sent = serve({
    "methods/rel-rag-path": () => [200, { ...method, options: [setting], untrained_options: ["hops"] }],
  });
  open("/?graph=1&method=rel-rag-path&budget=20&set-hops=0");
  await opened();
  write("capital of Peru");
  await vi.waitFor(() => {
    press();
    expect(screen.getByRole("alert")).toHaveTextContent("hops: Must be 1 or more.");
  });
  cleanup();
  open("/?graph=1&method=rel-rag-path&budget=20&set-hops=2");
  await opened();
  write("capital of Peru");
  press();
  await screen.findByText("The run");
  expect(sent.slice(-1)).toMatchObject([{ method: "rel-rag-path", budget: 20, options: { hops: 2 } }]);
});

it("never loses a click on Ask while the list of graphs is looked up", async () => {
  let arrive: (() => void) | undefined;
  const list: Answer = [200, { count: 1, results: [graph] }];
  const late = new Promise<Answer>((resolve) => {
    arrive = () => {
      resolve(list);
    };
  });
  const sent = serve({ graphs: () => late });
  open();
  write("capital of Peru");
  press();
  await screen.findByText("The run");
  expect(sent).toMatchObject([{ graph: 1, question: "capital of Peru" }]);
  cleanup();
  open("/");
  write("capital of Bolivia");
  press();
  expect(sent).toHaveLength(1);
  arrive?.();
  await screen.findByText("The run");
  expect(sent[1]).toMatchObject({ graph: 1, question: "capital of Bolivia" });
});

it("asks the graph that it was opened for, though the list of before lacks it or has it unready", async () => {
  const other = { ...graph, id: 2, name: "Other" };
  const lists: Record<string, Graph[]> = {
    lacks: [other],
    unready: [{ ...graph, state: "importing" }, other],
  };
  for (const before of Object.values(lists)) {
    const sent = serve({ graphs: () => new Promise(() => undefined) });
    const cache = makeCache();
    cache.setQueryData(graphsQuery.queryKey, { count: 1, next: null, previous: null, results: before });
    await cache.invalidateQueries({ queryKey: keys.graphs });
    open("/?graph=1", cache);
    write("capital of Peru");
    press();
    await screen.findByText("The run");
    expect(sent).toMatchObject([{ graph: 1 }]);
    cleanup();
  }
});

it("says that it is offline, keeps the question, and sends it on a click alone", async () => {
  let there = true;
  vi.spyOn(navigator, "onLine", "get").mockImplementation(() => there);
  const asked = vi.fn();
  serve({
    status: () => (there ? [200, status] : "away"),
    runs: () => {
      if (!there) return "away";
      asked();
      return [201, { id: "r1", question: "", graph: 1, state: "queued" }];
    },
  });
  open();
  await opened();
  write("capital of Peru");
  there = false;
  window.dispatchEvent(new Event("offline"));
  press();
  expect(await screen.findByRole("alert")).toHaveTextContent(
    "Not asked. You are offline.Your question is kept, also over a reload. It is sent when you press Ask, and not before.",
  );
  expect(screen.getByText("Ask", { selector: "button" })).toBeEnabled();
  expect(box()).toHaveValue("capital of Peru");
  there = true;
  window.dispatchEvent(new Event("online"));
  await screen.findByText("The server is back. Your question was not asked");
  expect(asked).not.toHaveBeenCalled();
  press("Ask now");
  await screen.findByText("The run");
  expect(asked).toHaveBeenCalledTimes(1);
});

it("has the question that was not sent in the box again after a reload", async () => {
  serve({ runs: () => "away" });
  open();
  await opened();
  write("capital of Peru");
  press();
  await screen.findByText(/was not asked/);
  cleanup();
  open("/");
  expect(await screen.findByDisplayValue("capital of Peru")).toBe(box());
});

it("shows a run that was kept although no worker could be told of it", async () => {
  const error = { code: "queue_unavailable", message: "The queue is away.", hint: "It is sent later." };
  serve({ runs: () => [503, { error, run: "r1" }] });
  open();
  await opened();
  write("capital of Peru");
  press();
  await screen.findByText("The run");
});

it("takes no other graph for one that its address names and that is gone", async () => {
  serve();
  open("/?graph=7");
  expect(await screen.findByText("This graph is not there any more")).toBeInTheDocument();
  expect(screen.getByText("look in the trash")).toHaveAttribute("href", "/graphs");
});
