import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keepUnsent } from "@/store/unsent";
import { candidateOf, itemOf } from "@/test/review";
import { ReviewQueuePage } from "./ReviewQueuePage";

vi.mock("@/graph/GraphCanvas", () => ({ default: () => <div>drawing</div> }));

const queue = {
  id: 1,
  name: "Capitals",
  version: 1,
  current: true,
  state: "done",
  items: 2,
  progress: { open: 2, done: 0, broken: 0 },
};
const path = (id: number, label: string) =>
  candidateOf(id, {
    topic: "Germany",
    path: [[label, false]],
    steps: [{ name: label, label, inverse: false }],
    sources: [{ source: "answer-set", label_set: 1, name: "One", score: 1, explanation: "" }],
    ...{ reached: 1, hits: 1, precision: 1, recall: 1 },
  });
const item = (id: number, question: string) =>
  itemOf(id, {
    ...{ question, position: id, topics: ["Germany"], answers: ["Berlin"], reason: "The sources disagree." },
    ...{ version: 4, candidates: [path(11, "capital"), path(12, "borders")] },
  });
const nothing = { agreement: { paths: 0, percent: null, alpha: null }, people: [], pairs: [] };

/** What was posted, by address; the server has the questions 5, 6 and 7, and gives none that is held. */
function serve(
  answer: (address: string, body: unknown, url: string) => Response | undefined = () => undefined,
) {
  const posted: Record<string, unknown[]> = {};
  const questions = [
    item(5, "capital of Germany?"),
    item(6, "capital of France?"),
    item(7, "capital of Chad?"),
  ];
  const judged: number[] = [];
  const next = (holding: number[]) =>
    questions.find(({ id }) => !judged.includes(id) && !holding.includes(id)) ?? null;
  vi.stubGlobal("fetch", (url: string, { method, body }: { method: string; body?: string }) => {
    const address = url.replace("/api/v1/", "").replace(/\?.*/, "");
    const sent = JSON.parse(body ?? "null") as { holding: number[] };
    if (method === "POST") (posted[address] ??= []).push(sent);
    const other = answer(address, sent, url);
    if (other) return Promise.resolve(other);
    const submitted = /^review\/items\/(\d)\/submit$/.exec(address)?.[1];
    if (submitted) judged.push(Number(submitted));
    const answers: Record<string, () => unknown> = {
      session: () => ({ user: { username: "ann", role: "analyst" }, csrf: "x" }),
      "review/queues/1": () => queue,
      "review/queues/1/statistics": () => nothing,
      "review/queues/1/items": () => ({ count: 0, next: null, previous: null, results: [] }),
      "review/queues/1/next": () => ({ item: next(sent.holding) }),
      "review/queues/1/undo": () => ({ item: questions.find(({ id }) => id === judged.pop()) }),
      "review/queues/1/redo": () => ({
        item: {
          ...item(5, "capital of Germany?"),
          mine: { analyst: "ann", at: "", comment: "", verdicts: [] },
        },
      }),
    };
    const found = submitted
      ? { item: item(Number(submitted), ""), next: next(sent.holding) }
      : (answers[address]?.() ?? []);
    return Promise.resolve(new Response(JSON.stringify(found)));
  });
  return posted;
}

function open(address = "/review/1", name = "capital of Germany?") {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={[address]}>
        <Routes>
          <Route path="review/:id" element={<ReviewQueuePage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return screen.findByRole("heading", { name });
}

const question = (name: string) => screen.findByRole("heading", { name });

beforeEach(() => {
  localStorage.clear();
  Element.prototype.scrollIntoView = vi.fn();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

it("is judged by keys alone, from one question to the next and back, and on again", async () => {
  const posted = serve();
  const user = userEvent.setup();
  await open();
  expect(screen.getByText("2 paths to judge", { exact: false })).toBeInTheDocument();
  await user.keyboard("{Enter}");
  expect(posted["review/items/5/submit"]).toBeUndefined();
  await user.keyboard("12{Enter}");
  await question("capital of France?");
  await waitFor(() => {
    expect(posted["review/items/5/submit"]).toHaveLength(1);
  });
  expect(posted["review/items/5/submit"]?.[0]).toMatchObject({
    version: 4,
    shown: "hash",
    broken: false,
    // The next one was there before, and the one after both is asked for.
    holding: [6, 5],
    verdicts: [
      { candidate: 11, kind: "rational", reasons: [], comment: "" },
      { candidate: 12, kind: "not-rational", reasons: [], comment: "" },
    ],
  });
  await user.keyboard("{Control>}z{/Control}");
  await question("capital of Germany?");
  expect(posted["review/queues/1/undo"]).toHaveLength(1);
  // What was said is there to be changed, or said again as it was.
  expect(screen.getByText("Ready to submit")).toBeInTheDocument();
  await user.keyboard("{Control>}{Shift>}z{/Shift}{/Control}");
  await question("capital of France?");
  expect(posted["review/queues/1/redo"]).toHaveLength(1);
});

it("takes back what was said on the question before it goes to the one before", async () => {
  const posted = serve();
  const user = userEvent.setup();
  await open();
  await user.keyboard("1{Control>}z{/Control}");
  expect(screen.getByText("2 paths to judge", { exact: false })).toBeInTheDocument();
  await user.keyboard("{Control>}y{/Control}");
  expect(screen.getByText("1 path to judge", { exact: false })).toBeInTheDocument();
  expect(posted["review/queues/1/undo"]).toBeUndefined();
});

it("gives reasons by keys, and a comment, to the verdict just given; and to a broken question", async () => {
  const posted = serve();
  const user = userEvent.setup();
  await open();
  await user.keyboard("2r35cdoubtful{Enter}1{Enter}");
  await question("capital of France?");
  await user.keyboard("br8{Escape}{Enter}");
  await question("capital of Chad?");
  await waitFor(() => {
    expect(posted["review/items/6/submit"]).toHaveLength(1);
  });
  expect(posted["review/items/5/submit"]?.[0]).toMatchObject({
    verdicts: [
      { candidate: 11, kind: "not-rational", reasons: ["too-wide", "detour"], comment: "doubtful" },
      { candidate: 12, kind: "rational", reasons: [], comment: "" },
    ],
  });
  expect(posted["review/items/6/submit"]?.[0]).toMatchObject({
    broken: true,
    verdicts: [],
    reasons: ["unclear"],
  });
});

it("keeps a judgement that the server did not get, and sends it again as it was", async () => {
  let down = true;
  const posted = serve((address) => {
    if (down && address === "review/items/5/submit") throw new TypeError("network");
    return undefined;
  });
  const user = userEvent.setup();
  await open();
  await user.keyboard("12{Enter}");
  await question("capital of France?");
  expect(await screen.findByText("1 judgement could not be sent.")).toBeInTheDocument();
  expect(Object.keys(localStorage)).toContainEqual(expect.stringMatching(/^clew-unsent:/));
  // It is not given again while the server does not know of it.
  await user.keyboard("12{Enter}");
  await question("capital of Chad?");
  expect(await screen.findByText("2 judgements could not be sent.")).toBeInTheDocument();
  down = false;
  await user.click(screen.getByRole("button", { name: "Send again" }));
  await waitFor(() => {
    expect(screen.queryByText("2 judgements could not be sent.")).toBeNull();
  });
  expect(posted["review/items/6/submit"]).toHaveLength(1);
  const ids = posted["review/items/5/submit"]?.map((one) => (one as { id: string }).id);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect(Object.keys(localStorage).filter((key) => key.startsWith("clew-unsent:"))).toEqual([]);
});

it("shows the question that the address names, though a judgement was still to be sent", async () => {
  const posted = serve((address) =>
    address === "review/items/7" ? new Response(JSON.stringify(item(7, "capital of Chad?"))) : undefined,
  );
  const said = { version: 4, shown: "hash", verdicts: [], broken: true, reasons: [], comment: "" };
  const judgement = { id: "a-judgement", ...said };
  keepUnsent({ user: "ann", queue: "1", item: 5, question: "capital of Germany?", at: 1, judgement });
  await open("/review/1?item=7", "capital of Chad?");
  expect(posted["review/items/5/submit"]).toEqual([expect.objectContaining({ id: "a-judgement" })]);
  expect(localStorage).toHaveLength(0);
});

it("stays blind when others came before, and adds this judgement when that is chosen", async () => {
  const error = { code: "judged_meanwhile", message: "It was judged.", hint: "" };
  const posted = serve((address, body) =>
    address === "review/items/5/submit" && (body as { version: number }).version === 4
      ? new Response(
          JSON.stringify({ error, item: { ...item(5, "capital of Germany?"), version: 9, submitted: 1 } }),
          { status: 409 },
        )
      : undefined,
  );
  const user = userEvent.setup();
  await open();
  await user.keyboard("12{Enter}");
  const dialog = within(await screen.findByRole("alertdialog", { name: "Judged meanwhile" }));
  expect(dialog.getByText(/1 analyst completed this question/)).toBeInTheDocument();
  expect(dialog.getByText("Rational")).toBeInTheDocument();
  await user.click(dialog.getByRole("button", { name: "Add mine as one more opinion" }));
  await waitFor(() => {
    expect(posted["review/items/5/submit"]).toHaveLength(2);
  });
  const [first, second] = posted["review/items/5/submit"] as { id: string; version: number }[];
  expect(second?.version).toBe(9);
  expect(second?.id).not.toBe(first?.id);
  expect(screen.queryByRole("alertdialog")).toBeNull();
});

it("takes other keys, refuses one that is taken, and shows them on the buttons", async () => {
  serve();
  const user = userEvent.setup();
  await open();
  await user.click(screen.getByRole("button", { name: "Keys of this page" }));
  const dialog = within(screen.getByRole("dialog", { name: "Keys of the review page" }));
  await user.click(dialog.getByRole("button", { name: "Rational path, or right program: 1. Change" }));
  await user.keyboard("b");
  expect(dialog.getByRole("status")).toHaveTextContent("B is the key of “The question is broken”.");
  await user.click(dialog.getByRole("button", { name: "Rational path, or right program: 1. Change" }));
  await user.keyboard("g");
  await user.click(dialog.getByRole("button", { name: "Done" }));
  await user.keyboard("g");
  expect(screen.getByText("1 path to judge", { exact: false })).toBeInTheDocument();
  expect(screen.getAllByText("G", { selector: "kbd" })).toHaveLength(2);
});

it("changes a path hop by hop by keys, shows what it would reach, and adds it as rational", async () => {
  const language = { relation: "language", label: "official language", inverse: false };
  const figures = { reached: 2, hits: 1, precision: 0.5, recall: 1 };
  const walk = (path: unknown[]) => ({
    valid: path.length > 0,
    error: null,
    steps: [],
    ...figures,
    same_as: null,
    next: [
      { relation: "borders", label: "borders", inverse: true, ...figures },
      { ...language, ...figures },
    ],
    next_total: 2,
    hops: [],
    hit: [{ id: 1, label: "German", kind: "entity" }],
    extra: [],
    missed: [],
  });
  const added = { ...path(13, "language"), path: [["language", false]], author: "ann", edited_from: 11 };
  const posted = serve((address, _, url) => {
    if (address === "review/items/5/hops") {
      const asked = new URL(url, "http://clew").searchParams.get("path") ?? "[]";
      return new Response(JSON.stringify(walk(JSON.parse(asked) as unknown[])));
    }
    if (address === "review/items/5/candidates") {
      const item5 = item(5, "capital of Germany?");
      const now = { ...item5, version: 5, shown: "other", candidates: [...item5.candidates, added] };
      return new Response(JSON.stringify({ item: now }));
    }
    return undefined;
  });
  const user = userEvent.setup();
  await open();
  await user.keyboard("e");
  const editor = within(await screen.findByRole("group", { name: "Edit a path" }));
  expect(editor.getByRole("button", { name: "Hop 1: capital", current: true })).toBeInTheDocument();
  await editor.findByRole("option", { name: /official language/ });
  await user.keyboard("lang{Enter}");
  expect(await editor.findByText("German")).toBeInTheDocument();
  await waitFor(() => {
    expect(editor.getByRole("button", { name: "Add as a path" })).toBeEnabled();
  });
  await user.keyboard("{Control>}{Enter}{/Control}");
  await screen.findByText("added by ann");
  expect(posted["review/items/5/candidates"]?.[0]).toMatchObject({
    topic: "Germany",
    path: [["language", false]],
    edited_from: 11,
  });
  expect(screen.queryByRole("group", { name: "Edit a path" })).toBeNull();
  await user.keyboard("22{Enter}");
  await question("capital of France?");
  await waitFor(() => {
    expect(posted["review/items/5/submit"]).toHaveLength(1);
  });
  expect(posted["review/items/5/submit"]?.[0]).toMatchObject({
    version: 5,
    shown: "other",
    verdicts: [
      { candidate: 11, kind: "not-rational" },
      { candidate: 12, kind: "not-rational" },
      { candidate: 13, kind: "rational" },
    ],
  });
});
