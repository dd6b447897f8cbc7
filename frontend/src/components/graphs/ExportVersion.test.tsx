import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Version } from "@/api/datasets";
import type { Graph } from "@/api/types";
import { Toasts } from "@/components/shell/Toasts";
import { ExportVersion } from "./ExportVersion";

const GRAPH = { id: 3, name: "Lakes of Vo" } as unknown as Graph;
const VERSION = { version: 2, hash: "ab" } as unknown as Version;
const REFUSAL = {
  error: {
    code: "bad_config",
    message: "A file of the format tsv cannot hold the attributes of this graph.",
  },
};

afterEach(() => vi.unstubAllGlobals());

function show(answer: (query: URLSearchParams) => Response) {
  const sent: string[] = [];
  const saved: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    const { pathname, searchParams } = new URL(url, "http://clew.test");
    sent.push(`${pathname}?${searchParams.toString()}`);
    return Promise.resolve(answer(searchParams));
  });
  vi.stubGlobal(
    "URL",
    Object.assign(URL, { createObjectURL: () => "blob:1", revokeObjectURL: () => undefined }),
  );
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ExportVersion graph={GRAPH} version={VERSION} />
      <Toasts />
    </QueryClientProvider>,
  );
  return { sent, saved };
}

async function choose(label: string) {
  fireEvent.click(screen.getByRole("button", { name: "Export" }));
  fireEvent.click(await screen.findByRole("menuitem", { name: label }));
}

it("saves a version under the name of its graph", async () => {
  const { sent, saved } = show(() => new Response("<graphml/>"));
  await choose("As GraphML: facts and attributes");
  await waitFor(() => expect(saved).toEqual(["lakes-of-vo-2.graphml"]));
  expect(sent).toEqual(["/api/v1/graphs/3/export?format=graphml&partial=false&snapshot=ab"]);
});

it("offers to leave out what a format cannot hold", async () => {
  const { sent, saved } = show((query) =>
    query.get("partial") === "true" ? new Response("a\tb\tc\n") : Response.json(REFUSAL, { status: 400 }),
  );
  await choose("As TSV: facts and attributes");
  expect(await screen.findByText(REFUSAL.error.message)).toBeTruthy();
  expect(saved).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Export without" }));
  await waitFor(() => expect(saved).toEqual(["lakes-of-vo-2.tsv"]));
  expect(sent.at(-1)).toBe("/api/v1/graphs/3/export?format=tsv&partial=true&snapshot=ab");
});
