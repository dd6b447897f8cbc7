import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { request } from "@/api/client";
import type { ErrorLimit } from "@/api/errorLimit";
import type { Graph } from "@/api/types";
import { FIVE, LIMIT } from "@/test/errorLimit";
import { LimitCard } from "./LimitCard";

vi.mock("@/api/client", async (original) => ({
  ...(await original<typeof import("@/api/client")>()),
  request: vi.fn(),
}));
const sent = vi.mocked(request);

const graph = { id: 3, name: "Films" } as Graph;
const none: ErrorLimit = { ...LIMIT, at_most_wrong: null, calibrated_at: null, guarantee: null, offered: [] };

function show(limit: ErrorLimit, mayChange = true) {
  sent.mockResolvedValue(limit);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LimitCard graph={graph} mayChange={mayChange} />
    </QueryClientProvider>,
  );
}

/** What was sent: verb, path and body. */
const listSent = () => sent.mock.calls.map(([verb, path, options]) => [verb, path, options?.body]);

beforeEach(() => {
  sent.mockReset();
});

it("chooses a limit from all, with the effect of those that were calibrated", async () => {
  show({ ...none, offered: [FIVE] });
  await userEvent.click(await screen.findByRole("button", { name: /Answer only if/ }));
  expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual([
    "No limitEvery question is answered, with its confidence",
    "At most 1 of 100 wrong",
    "At most 2 of 100 wrong",
    "At most 5 of 100 wronganswers 62% of the test questions",
    "At most 10 of 100 wrong",
    "At most 20 of 100 wrong",
  ]);
  expect(screen.queryByRole("button", { name: /Calibrate/ })).toBeNull();
  await userEvent.click(screen.getByRole("option", { name: /At most 5/ }));
  await waitFor(() => {
    expect(listSent()).toContainEqual(["PUT", "graphs/3/error-limit", { at_most_wrong: 5 }]);
  });
});

it("says what a calibration found, and repeats it", async () => {
  show(LIMIT);
  expect(await screen.findByText(/310 of 500 test questions, 4 of them wrong/)).toBeVisible();
  expect(screen.queryByRole("status")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Calibrate again" }));
  await waitFor(() => {
    expect(listSent()).toContainEqual(["POST", "graphs/3/error-limit", undefined]);
  });
});

it("warns of a version that was not calibrated, and of a limit that nothing keeps", async () => {
  show({ ...none, at_most_wrong: 5 });
  expect(await screen.findByText("This version has not been calibrated")).toBeVisible();
  expect(screen.getByRole("button", { name: "Calibrate" })).toBeEnabled();
});

it("shows readers the limit without a choice", async () => {
  show({ ...LIMIT, guarantee: { ...FIVE, threshold: null } }, false);
  expect(await screen.findByText("At most 5 of 100 wrong.")).toBeVisible();
  expect(screen.getByText("No answer is sure enough")).toBeVisible();
  expect(screen.queryByRole("button")).toBeNull();
});

it("says that it is being calibrated instead of offering to", async () => {
  show({ ...LIMIT, guarantee: null, job: 7 });
  expect(await screen.findByText("The limit is being calibrated")).toBeVisible();
  expect(screen.queryByRole("button", { name: /Calibrate/ })).toBeNull();
});
