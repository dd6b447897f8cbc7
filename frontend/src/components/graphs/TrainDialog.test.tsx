import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import type { Graph } from "@/api/types";
import { TrainDialog } from "./TrainDialog";

const setting = { choices: [], least: 0, above: null, below: null };
const method = {
  settings: [
    { ...setting, name: "epochs", type: "int", default: 15, about: "At most so many epochs." },
    { ...setting, name: "draws_per_epoch", type: "int", default: 1536, about: "At least so many draws." },
  ],
  ...{ options: [], untrained_options: [], paper_options: null },
  paper_settings: { epochs: 80, draws_per_epoch: 0 },
};
const set = { id: 3, name: "Six", graph: 1, graph_name: "Tiny", splits: { train: 2, dev: 2, test: 2 } };

afterEach(() => {
  vi.unstubAllGlobals();
});

it("shows and sends the form of the method's paper", async () => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (url: string, { method: verb, body }: { method: string; body?: string }) => {
    if (verb === "POST") sent.push(JSON.parse(body ?? "{}"));
    const found = url.includes("methods/")
      ? method
      : url.includes("status")
        ? { methods: [{ id: "reg-triple", label: "Refined triples", trained: true }], workers: { jobs: 1 } }
        : url.includes("question-sets")
          ? { count: 1, results: [set] }
          : { count: 0, results: [], id: 9, kind: "train", state: "queued", created_at: "2026" };
    return Promise.resolve(new Response(JSON.stringify(found)));
  });
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  render(
    <QueryClientProvider client={makeCache()}>
      <MemoryRouter>
        <TrainDialog graph={{ id: 1, name: "Tiny" } as Graph} isOpen onClose={() => undefined} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  expect(await screen.findByText("Default 1536")).toBeInTheDocument();
  await user.click(screen.getByText("Clew's", { selector: "button *" }));
  await user.click(await screen.findByText("As the method's paper has it"));
  expect(screen.getByText("Default 0")).toBeInTheDocument();
  expect(screen.getByText("Default 80")).toBeInTheDocument();
  expect(screen.getByText("the paper’s form")).toBeInTheDocument();
  await user.type(screen.getByLabelText("epochs"), "5");
  await user.click(screen.getByText("Start training"));
  await waitFor(() => {
    expect(sent).toEqual([expect.objectContaining({ config: { preset: "paper", epochs: 5 } })]);
  });
});
