import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import type { EvidenceChain } from "@/api/events";
import { viewAt } from "@/view/runView";
import { EVENTS, NODES, RUN, hop } from "@/test/switzerland";
import { ChainRow, chainText } from "./ChainsPanel";

const [chain] = viewAt(RUN, EVENTS, EVENTS.length).chains as [EvidenceChain];

it("reads as a sentence", () => {
  expect(chainText(chain)).toBe(
    "Switzerland → [borders] Austria; France; Italy → [official language] German; French; Italian",
  );
});

it("says that every hop is a fact of the graph, and toggles on a click", async () => {
  const onToggle = vi.fn();
  render(<ChainRow chain={chain} index={0} on={false} onToggle={onToggle} />);
  expect(screen.getByText("✓ all facts in graph")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: /^Chain 1: Switzerland/ }));
  expect(onToggle).toHaveBeenCalledOnce();
});

it("lists each hop as its fact when lit, inverse ones turned round", () => {
  render(<ChainRow chain={chain} index={0} on onToggle={vi.fn()} />);
  const hops = screen
    .getAllByRole("listitem")
    .map((item) => item.textContent)
    .filter((text) => text.endsWith(" in graph") && !text.includes("step"));
  expect(hops).toEqual([
    "Switzerland → borders Austria in graph",
    "France → borders Switzerland in graph",
    "Switzerland → borders Italy in graph",
    "Austria → official language German in graph",
    "France → official language French in graph",
    "Italy → official language Italian in graph",
  ]);
});

it("counts hops that are not in the graph, what is not listed, and says when evidence is weak", () => {
  const doubtful: EvidenceChain = {
    ...chain,
    score: 0.12,
    level_counts: [3, 1204],
    hops: [hop(NODES.switzerland, "borders", NODES.austria, false, false)],
  };
  render(<ChainRow chain={doubtful} index={2} on={false} onToggle={vi.fn()} />);
  expect(screen.getByText("1 fact not in graph")).toBeInTheDocument();
  expect(screen.getByText("shown 6 of 1,207")).toBeInTheDocument();
  expect(screen.getByText("guess")).toBeInTheDocument();
});

it("keeps a name that is written from right to left from turning the others round", () => {
  const cairo = { ...NODES.austria, label: "القاهرة" };
  const one = {
    ...chain,
    source: { ...NODES.switzerland, label: "مصر" },
    hops: [hop(cairo, "in", NODES.italy)],
  };
  render(<ChainRow chain={one} index={0} on onToggle={vi.fn()} />);
  for (const name of ["القاهرة", "مصر"]) expect(screen.getByText(name).tagName).toBe("BDI");
});

it("says where each fact comes from", async () => {
  const key = `${NODES.switzerland.id}|borders|${NODES.austria.id}`;
  const source = { type: "file", name: "borders.tsv", row: 3, edit: null, author: null };
  vi.stubGlobal("fetch", () =>
    Promise.resolve(new Response(JSON.stringify([{ fact: key, source }]), { status: 200 })),
  );
  render(
    <QueryClientProvider client={makeCache()}>
      <ChainRow chain={chain} index={0} on onToggle={vi.fn()} version={{ graph: 1, snapshot: "abc" }} />
    </QueryClientProvider>,
  );
  const text = await screen.findByText(/^from/);
  expect(text.closest("li")).toHaveTextContent(
    "Switzerland → borders Austria from borders.tsv, row 3 in graph",
  );
  vi.unstubAllGlobals();
});
