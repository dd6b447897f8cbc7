import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Item } from "@/api/review";
import { candidateOf, itemOf } from "@/test/review";
import { AnnotationSession } from "./annotationSession";
import type { Listener } from "./annotationState";
import { judge, setComment } from "@/view/review";
import { unsentOf } from "./unsent";

const item = (id: number): Item => itemOf(id, { candidates: [candidateOf(11)] });

/** Answers in turn, by what an address ends with; null: the network is away; a promise answers when it wants. */
let answers: Record<string, (object | null)[]>;
let posted: [path: string, body: unknown][];
let told: string[];
let stop: () => void;

const listener: Listener = {
  onLoaded: ({ id }) => told.push(`loaded ${id}`),
  onItemChanged: (id) => told.push(`changed ${id}`),
  onRowChanged: ({ id, state }) => told.push(`row ${id} ${state}`),
  onProgress: () => told.push("progress"),
  onError: (error) => told.push(String(error)),
};

beforeEach(() => {
  localStorage.clear();
  posted = [];
  told = [];
  stop = () => undefined;
  vi.stubGlobal("fetch", (url: string, { body, signal }: { body?: string; signal?: AbortSignal } = {}) => {
    const path = url.replace("/api/v1/review/", "");
    posted.push([path, body === undefined ? undefined : JSON.parse(body)]);
    const answer = answers[path]?.shift();
    if (answer === null) return Promise.reject(new TypeError("away"));
    const responseOf = (one: object | undefined) =>
      one instanceof Response ? one : new Response(JSON.stringify(one ?? { item: null }));
    const ended = new Promise<never>((_, reject) =>
      signal?.addEventListener("abort", () => reject(new TypeError("ended"))),
    );
    return Promise.race([Promise.resolve(answer).then(responseOf), ended]);
  });
});

afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function begin(first: number | null = null): AnnotationSession {
  const session = new AnnotationSession("1", "ann", first, listener);
  stop = session.start();
  return session;
}

const refusal = (status: number, code: string, rest: object = {}) =>
  new Response(JSON.stringify({ error: { code, message: "No.", hint: "" }, ...rest }), { status });

/** An answer that the test gives when it wants. */
function later(): { promise: Promise<object>; resolve: (answer: object) => void } {
  let resolve: (answer: object) => void = () => undefined;
  const promise = new Promise<object>((done) => (resolve = done));
  return { promise, resolve };
}

const judgeAndSubmit = (session: AnnotationSession) => {
  session.change((now) => judge(now, "rational"));
  session.submit();
};

const sent = (path: string) =>
  posted.filter(([one]) => one === path).map(([, body]) => body as { id: string });

const place = ({ state }: AnnotationSession) => [
  state.current?.item.id ?? null,
  state.ahead.map((one) => one.item.id),
  state.empty,
];

it("loads an item and the next one, and names what it holds", async () => {
  answers = { "queues/1/next": [{ item: item(5) }, { item: item(6) }] };
  const session = begin();
  await vi.waitFor(() => expect(place(session)).toEqual([5, [6], false]));
  expect(posted).toEqual([
    ["queues/1/next", { holding: [] }],
    ["queues/1/next", { holding: [5] }],
  ]);
  expect(told).toEqual(["loaded 5", "loaded 6"]);
});

it("goes on at once when an item is submitted, and takes the next one with the answer", async () => {
  const done = { ...item(5), state: "done" };
  answers = {
    "items/5": [item(5)],
    "queues/1/next": [{ item: item(6) }],
    "items/5/submit": [{ item: done, next: item(7) }],
  };
  const session = begin(5);
  await vi.waitFor(() => expect(place(session)).toEqual([5, [6], false]));
  session.submit();
  expect(place(session)).toEqual([5, [6], false]);
  session.change((now) => judge(now, "rational"));
  session.submit();
  expect(place(session)).toEqual([6, [], false]);
  await vi.waitFor(() => expect(place(session)).toEqual([6, [7], false]));
  expect(told).toContain("row 5 done");
  expect(localStorage.length).toBe(0);
});

it("keeps what the server did not get, in its order, and sends it again", async () => {
  answers = {
    "queues/1/next": [{ item: item(5) }, { item: item(6) }],
    "items/5/submit": [null, null, { item: item(5), next: null }],
    "items/6/submit": [{ item: item(6), next: null }],
  };
  const session = begin();
  await vi.waitFor(() => expect(place(session)).toEqual([5, [6], false]));
  for (let turn = 0; turn < 2; turn += 1) judgeAndSubmit(session);
  await vi.waitFor(() => expect(session.state.unsent.map((one) => one.item)).toEqual([5, 6]));
  expect(localStorage.length).toBe(2);
  session.sendAgain();
  await vi.waitFor(() => expect([session.state.unsent, localStorage.length]).toEqual([[], 0]));
  const sent = posted.map(([path]) => path).filter((path) => path.endsWith("submit"));
  expect(sent.slice(-2)).toEqual(["items/5/submit", "items/6/submit"]);
});

it("takes back step by step here, and then the last submission at the server", async () => {
  answers = { "queues/1/next": [{ item: item(5) }], "queues/1/undo": [{ item: item(4) }] };
  const session = begin();
  await vi.waitFor(() => expect(place(session)).toEqual([5, [], true]));
  session.change((now) => judge(now, "rational"));
  session.undo();
  expect([session.state.current?.opinion.words.size, session.state.canRedo]).toEqual([0, true]);
  session.undo();
  expect(session.state.busy).toBe(true);
  await vi.waitFor(() => expect(session.state.busy).toBe(false));
  expect(place(session)).toEqual([4, [5], false]);
  expect(told.slice(-4)).toEqual(["changed 4", "loaded 4", "row 4 open", "progress"]);
});

it("keeps what was refused until it is back before its analyst", async () => {
  const changed = refusal(409, "judged_meanwhile", { item: itemOf(5, { candidates: [candidateOf(12)] }) });
  const gone = refusal(404, "not_found");
  answers = {
    "items/5": [item(5), gone, item(5)],
    "queues/1/next": [{ item: item(6) }],
    "items/5/submit": [changed, refusal(400, "invalid")],
  };
  const session = begin(5);
  await vi.waitFor(() => expect(place(session)).toEqual([5, [6], false]));
  judgeAndSubmit(session);
  await vi.waitFor(() => expect(session.state.unsent.map((one) => one.item)).toEqual([5]));
  expect(unsentOf("ann", "1")).toHaveLength(1);
  session.sendAgain();
  await vi.waitFor(() => expect(session.state.unsent).toEqual([]));
  expect([session.state.current?.item.id, session.state.current?.opinion.words.get(11)?.kind]).toEqual([
    5,
    "rational",
  ]);
  expect(unsentOf("ann", "1")).toEqual([]);
});

it("does not put what was refused over what was entered since", async () => {
  const answer = later();
  answers = {
    "items/5": [item(5), item(5), item(5)],
    "queues/1/next": [{ item: item(6) }],
    "items/5/submit": [answer.promise],
  };
  const session = begin(5);
  await vi.waitFor(() => expect(place(session)).toEqual([5, [6], false]));
  judgeAndSubmit(session);
  session.open(5);
  await vi.waitFor(() => expect(session.state.current?.item.id).toBe(5));
  await new Promise((resolve) => setTimeout(resolve, 2));
  session.change((now) => setComment(judge(now, "unsure"), "on second thoughts", null));
  answer.resolve(refusal(400, "invalid"));
  await vi.waitFor(() => expect(unsentOf("ann", "1")).toEqual([]));
  expect(session.state.current?.opinion).toMatchObject({ comment: "on second thoughts" });
});

it("sends what is submitted after others that are on their way were given up", async () => {
  const answer = later();
  answers = {
    "queues/1/next": [{ item: item(5) }, { item: item(6) }],
    "items/5/submit": [answer.promise],
    "items/6/submit": [{ item: item(6), next: null }],
  };
  const session = begin();
  await vi.waitFor(() => expect(place(session)).toEqual([5, [6], false]));
  judgeAndSubmit(session);
  await vi.waitFor(() => expect(sent("items/5/submit")).toHaveLength(1));
  session.discardUnsent();
  judgeAndSubmit(session);
  answer.resolve({ item: item(5), next: null });
  await vi.waitFor(() => expect(sent("items/6/submit")).toHaveLength(1));
});

it("does not wait for good for an answer that does not come", async () => {
  const waits: AbortController[] = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const controller = new AbortController();
    waits.push(controller);
    return controller.signal;
  });
  answers = {
    "items/5": [item(5)],
    "queues/1/next": [later().promise],
    "items/5/submit": [{ item: item(5), next: item(6) }],
  };
  const session = begin(5);
  await vi.waitFor(() => expect([session.state.current?.item.id, waits.length]).toEqual([5, 2]));
  judgeAndSubmit(session);
  expect(sent("items/5/submit")).toEqual([]);
  for (const wait of waits) wait.abort();
  await vi.waitFor(() => expect(place(session)[0]).toBe(6));
});

it("takes back once what it asks for again because nobody answered", async () => {
  answers = {
    "queues/1/next": [{ item: item(5) }],
    "queues/1/undo": [null, { item: item(4) }, { item: item(3) }],
  };
  const session = begin();
  await vi.waitFor(() => expect(place(session)).toEqual([5, [], true]));
  for (const place of [5, 4, 3]) {
    session.undo();
    await vi.waitFor(() =>
      expect([session.state.busy, session.state.current?.item.id]).toEqual([false, place]),
    );
  }
  const [first, again, other] = sent("queues/1/undo").map((one) => one.id);
  expect([again === first, other === first]).toEqual([true, false]);
});
