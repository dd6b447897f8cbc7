import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Graph } from "@/api/types";
import { KeptModel } from "./KeptModel";

const COLUMN = { filled: 1, distinct: 1, samples: ["4"], unit: "", is_ignored: false };
const MODEL = {
  kinds: [
    {
      table: "lakes.csv",
      label: "lake",
      count: 1,
      name: ["name"],
      key: null,
      columns: [{ ...COLUMN, name: "depth", label: "depth", type: "number" }],
      name_candidates: ["name"],
      examples: ["Vo is a lake: depth 4."],
    },
  ],
  references: [],
  warnings: [],
  is_sampled: false,
  edges: [],
  languages: [],
};
const GRAPH = {
  id: 3,
  name: "Lakes",
  state: "ready",
  snapshot: { version: 2, hash: "ab" },
} as unknown as Graph;
const REFUSAL = {
  error: { code: "bad_config", message: "The files are not kept.", hint: "Upload the files again." },
};

function show(admin: boolean, answerModel: (model: unknown) => Response) {
  const sent: [string, unknown][] = [];
  vi.stubGlobal("fetch", (url: string, { body }: { body?: string } = {}) => {
    const path = url.replace(/.*\/api\/v1\//, "");
    if (!body) return Promise.resolve(Response.json(MODEL));
    const content = JSON.parse(body) as { model: unknown };
    sent.push([path, content]);
    return Promise.resolve(
      path === "uploads/model" ? answerModel(content.model) : Response.json({ id: 9 }, { status: 202 }),
    );
  });
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <KeptModel graph={GRAPH} admin={admin} />
    </QueryClientProvider>,
  );
  const details = container.querySelector("details");
  if (!details) throw new Error("no details");
  details.open = true;
  fireEvent(details, new Event("toggle"));
  return sent;
}

afterEach(() => vi.unstubAllGlobals());

it("is changed without an upload", async () => {
  const sent = show(true, () => Response.json(MODEL));
  fireEvent.click(await screen.findByRole("button", { name: "Change the data model" }));
  const save = await screen.findByRole("button", { name: "Create the next version" });
  expect(save.hasAttribute("disabled")).toBe(true);
  const relation = await screen.findByLabelText("Relation of depth");
  fireEvent.change(relation, { target: { value: "deepness" } });
  fireEvent.blur(relation);
  await waitFor(() => expect(save.hasAttribute("disabled")).toBe(false));
  fireEvent.click(save);
  const model = {
    kinds: [{ table: "lakes.csv", columns: [{ name: "depth", label: "deepness" }] }],
    references: [],
  };
  await waitFor(() => expect(sent.at(-1)).toEqual(["graphs/3/model", { model, note: "" }]));
  expect(sent.slice(0, 2).map(([path, body]) => [path, (body as { graph: number }).graph])).toEqual([
    ["uploads/model", 3],
    ["uploads/model", 3],
  ]);
});

it("says what needs the files, and sends nothing", async () => {
  show(true, (model) => (model ? Response.json(REFUSAL, { status: 400 }) : Response.json(MODEL)));
  fireEvent.click(await screen.findByRole("button", { name: "Change the data model" }));
  const called = await screen.findByLabelText("Called");
  fireEvent.change(called, { target: { value: "pond" } });
  fireEvent.blur(called);
  expect(await screen.findByText(/The files are not kept/)).toBeDefined();
  expect(screen.getByRole("button", { name: "Create the next version" }).hasAttribute("disabled")).toBe(true);
});

it("is only shown to whoever may not change the graph", async () => {
  show(false, () => Response.json(MODEL));
  expect(await screen.findByText("Download model")).toBeDefined();
  expect(screen.queryByText("Change the data model")).toBeNull();
});
