import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { RouterProvider, createMemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { ReactNode } from "react";
import { makeCache } from "@/api/cache";
import type { SharedLink } from "@/api/shared";
import type { Run } from "@/api/types";
import { SharedLinks } from "@/components/account/SharedLinks";
import { SharedPage } from "@/pages/SharedPage";
import { themeOf } from "@/store/settings";
import { ShareDialog } from "./ShareDialog";

const link: SharedLink = {
  ...{ id: 4, run: "r", question: "What borders France?", conversation: false, user: "ann" },
  ...{ origins: [], created_at: "2026-01-05T12:00:00Z", opened_at: null, expires_at: "2026-01-06T12:00:00Z" },
};
const gone = { error: { code: "gone", message: "This link was revoked.", hint: "Ask whoever sent it." } };

/** What was sent, by method and address; `gone` comes with 410. */
function show(page: ReactNode, answers: Record<string, unknown>, path = "/") {
  const sent: [string, unknown][] = [];
  vi.stubGlobal("fetch", (url: string, { method, body }: { method: string; body?: string }) => {
    const call = `${method} ${url.replace("/api/v1/", "").replace(/\?.*/, "")}`;
    if (method !== "GET") sent.push([call, JSON.parse(body ?? "null")]);
    const status = answers[call] === gone ? 410 : 200;
    return Promise.resolve(new Response(JSON.stringify(answers[call] ?? null), { status }));
  });
  const router = createMemoryRouter([{ path: path === "/" ? "/" : "/shared/:token", element: page }], {
    initialEntries: [path],
  });
  render(
    <QueryClientProvider client={makeCache()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return sent;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("makes a link of a conversation that a site may embed", async () => {
  const run = { id: "r", thread: "t", state: "done" } as unknown as Run;
  const sent = show(<ShareDialog run={run} isOpen onClose={vi.fn()} />, {
    "GET sharing-policy": { enabled: true, endless: false },
    "POST shared-links": { ...link, token: "a-token" },
  });
  await userEvent.click(await screen.findByRole("radio", { name: /The conversation/ }));
  await userEvent.type(screen.getByLabelText(/^Sites that may show it/), "https://a.org\nhttps://b.org");
  await userEvent.click(screen.getByRole("button", { name: "Create the link" }));
  expect(await screen.findByText(`${window.location.origin}/shared/a-token`)).toBeVisible();
  expect(screen.getByText(/<iframe src=".*\/embed\/a-token"/)).toBeVisible();
  const body = {
    run: "r",
    conversation: true,
    origins: ["https://a.org", "https://b.org"],
    expires_days: 30,
  };
  expect(sent).toEqual([["POST shared-links", body]]);
});

it("says that administrators have turned it off", async () => {
  const run = { id: "r", thread: null, state: "done" } as unknown as Run;
  show(<ShareDialog run={run} isOpen onClose={vi.fn()} />, {
    "GET sharing-policy": { enabled: false, endless: false },
  });
  expect(await screen.findByText("Administrators have turned off sharing by link")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Create the link" })).toBeNull();
});

it("revokes a link after asking, and lets administrators decide what is allowed", async () => {
  const sent = show(<SharedLinks all />, {
    "GET shared-links": { count: 1, next: null, previous: null, results: [link] },
    "GET sharing-policy": { enabled: true, endless: false },
  });
  await userEvent.click(
    await screen.findByRole("button", { name: "Revoke the link of What borders France?" }),
  );
  expect(screen.getByText("ann")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Revoke" }));
  await userEvent.click(await screen.findByRole("checkbox", { name: /without an end/ }));
  expect(sent).toEqual([
    ["DELETE shared-links/4", null],
    ["PATCH sharing-policy", { enabled: true, endless: true }],
  ]);
});

it("says why a link shows nothing", async () => {
  show(<SharedPage />, { "GET shared/a-token": gone }, "/shared/a-token");
  expect(await screen.findByRole("heading", { name: "This link was revoked." })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

it("shows an answer without anything to press that asks the server", async () => {
  const at = "2026-01-05T12:00:00Z";
  const node = { id: 1, label: "Spain", kind: "entity" };
  const answer = {
    ...{ entity: node, label: "Spain", score: 0.9, chains: [], verified: true, citations: [], guess: false },
    ...{ beside: [], display: "", owner: "" },
  };
  const table = {
    columns: [{ label: "area", kind: "number", unit: "" }],
    rows: [[{ text: "9", nodes: [] }]],
    total: 1,
  };
  const events = [
    { type: "run.started", question: "What borders big France?", endpoint: null },
    {
      ...{
        type: "answer.final",
        answers: [answer],
        no_answer: null,
        text: "",
        warnings: [],
        limit: null,
        table,
      },
      ...{ sentence: "Spain borders France.", unused: [{ start: 13, end: 16 }], usage: null, took_ms: 1 },
    },
  ].map((event, index) => ({ run: "1", seq: index + 1, at, ...event }));
  const content = {
    expires_at: null,
    turns: [{ question: "What borders big France?", asked_at: at, events }],
  };
  show(<SharedPage />, { "GET shared/a-token": content }, "/shared/a-token");
  expect(await screen.findByRole("heading", { level: 1, name: "What borders big France?" })).toBeVisible();
  expect(screen.getByText("Spain borders France.")).toBeVisible();
  expect(screen.getByText("big")).toBeVisible();
  expect(screen.getByRole("cell", { name: "9" }).querySelector("button")).toBeNull();
  expect(screen.queryByText(/Download as/)).toBeNull();
});

it("takes the theme from the address", () => {
  expect([themeOf("?theme=dark"), themeOf("?theme=pink"), themeOf("")]).toEqual(["dark", null, null]);
});
