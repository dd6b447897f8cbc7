import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import type { Delivery, Webhook } from "@/api/webhooks";
import { Webhooks } from "./Webhooks";

const on: Webhook = {
  ...{ id: 3, url: "https://chat.test/clew", events: ["job.ended", "answer.changed"], enabled: true },
  ...{
    reason: "",
    failures: 0,
    next_at: "2026-01-05T12:00:00Z",
    waiting: 0,
    old_secret_until: null,
    created_at: "2026-01-05T12:00:00Z",
  },
};
const reason = "Sending failed 9 times in a row: The server answered 500.";
const off: Webhook = { ...on, id: 4, url: "https://down.test/", enabled: false, reason };
const failed: Delivery = {
  ...{ id: 8, state: "waiting", created_at: "2026-01-05T12:00:00Z" },
  payload: { id: "msg_1", type: "job.ended", timestamp: "2026-01-05T12:00:00Z", data: { job: 5 } },
  attempts: [
    {
      started_at: "2026-01-05T12:00:01Z",
      status: 500,
      ms: 12,
      response: "Oh no",
      error: "The server answered 500.",
    },
  ],
};

/** What was sent, by method and address. */
function serve(webhooks: Webhook[], deliveries: Delivery[] = []) {
  const sent: [string, unknown][] = [];
  const page = (results: unknown[]) => ({ count: results.length, next: null, previous: null, results });
  vi.stubGlobal("fetch", (url: string, { method, body }: { method: string; body?: string }) => {
    const call = `${method} ${url.replace("/api/v1/", "")}`;
    if (method !== "GET") sent.push([call, JSON.parse(body ?? "null")]);
    const answers: Record<string, unknown> = {
      "GET webhooks": page(webhooks),
      "GET webhooks/3/deliveries": page(deliveries),
      "GET webhooks/4/deliveries": page([]),
      "POST webhooks": { ...on, secret: "whsec_c2VjcmV0" },
      "PATCH webhooks/4": off,
      "DELETE webhooks/3": null,
      "POST webhooks/3/rotate-secret": { ...on, secret: "whsec_bmV3ZXI=" },
      "POST webhooks/3/test": failed,
      "POST webhooks/3/deliveries/8/resend": failed,
    };
    const answer = answers[call];
    return Promise.resolve(
      answer === undefined
        ? new Response(JSON.stringify({ error: { code: "x", message: call, hint: "" } }), { status: 404 })
        : new Response(JSON.stringify(answer), { status: 200 }),
    );
  });
  render(
    <QueryClientProvider client={makeCache()}>
      <Webhooks />
    </QueryClientProvider>,
  );
  return sent;
}

const press = async (name: string | RegExp, role = "button") =>
  userEvent.click(await screen.findByRole(role, { name }));

afterEach(() => {
  vi.unstubAllGlobals();
});

it("makes a webhook and shows its secret once", async () => {
  const sent = serve([]);
  expect(await screen.findByText(/None yet\. A webhook tells another server/)).toBeVisible();
  await press("New webhook");
  await userEvent.type(screen.getByLabelText("Address"), " https://chat.test/clew ");
  await press(/Answer changed/, "checkbox");
  await press("Create the webhook");
  expect(await screen.findByText("whsec_c2VjcmV0")).toBeVisible();
  expect(sent).toEqual([
    ["POST webhooks", { url: "https://chat.test/clew", events: ["job.ended", "answer.changed"] }],
  ]);
});

it("says why a webhook was turned off, and turns it on", async () => {
  const sent = serve([on, off]);
  const row = (await screen.findByText("https://down.test/")).closest("tr");
  expect(row).toHaveTextContent(`turned off${reason}`);
  expect(screen.getByText("https://chat.test/clew").closest("tr")).toHaveTextContent(
    "Job ended, Answer changedon",
  );
  await press("Log of https://down.test/");
  expect(await screen.findByText("It is off: nothing is sent.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Send a test event" })).toBeDisabled();
  await press("Close");
  await press("More for https://down.test/");
  await press("Turn on", "menuitem");
  expect(sent).toEqual([["PATCH webhooks/4", { enabled: true }]]);
});

it("shows each attempt, sends again and sends a test", async () => {
  const sent = serve([on], [failed]);
  await press("Log of https://chat.test/clew");
  const log = within(await screen.findByRole("dialog"));
  expect(await log.findByText("Oh no")).toBeInTheDocument();
  expect(log.getAllByText("The server answered 500.")).toHaveLength(2);
  await press(/^Send now: job.ended/);
  await press("Send a test event");
  expect(sent.map(([call]) => call)).toEqual(["POST webhooks/3/deliveries/8/resend", "POST webhooks/3/test"]);
});

it("rotates the secret and shows the new one once", async () => {
  const sent = serve([on]);
  await press("More for https://chat.test/clew");
  await press("Rotate the secret", "menuitem");
  expect(await screen.findByText(/signed with the present one as well for 24 hours/)).toBeVisible();
  expect(sent).toEqual([]);
  await press("Rotate the secret");
  expect(await screen.findByText("whsec_bmV3ZXI=")).toBeVisible();
  expect(sent.map(([call]) => call)).toEqual(["POST webhooks/3/rotate-secret"]);
});

it("asks before a webhook is deleted", async () => {
  const sent = serve([on]);
  await press("More for https://chat.test/clew");
  await press("Delete", "menuitem");
  expect(await screen.findByText(/is told nothing more, and its log is deleted/)).toBeVisible();
  await press("Delete");
  expect(sent.map(([call]) => call)).toEqual(["DELETE webhooks/3"]);
});
