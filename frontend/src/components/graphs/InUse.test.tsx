import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import type { Checkpoint, Graph, Job } from "@/api/types";
import { useJobStore } from "@/store/jobStore";
import { InUse } from "./InUse";

const graph = { id: 3, name: "Films", checkpoint: null } as Graph;
const job = {
  id: 7,
  kind: "self-train",
  title: "Self-training of Films",
  graph: 3,
  state: "running",
  stage: "writing questions",
  overall: 0.25,
  created_at: "2026-01-05T12:00:00Z",
} as Job;
const checkpoint = {
  id: 1,
  method: "reg-path",
  fingerprint: "0123456789abcdef",
  question_set_name: "Questions written from the graph",
  in_use: true,
} as Checkpoint;

function show(checkpoints: readonly Checkpoint[], jobs: readonly Job[]) {
  useJobStore.setState({ jobs });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <InUse graph={graph} checkpoints={checkpoints} />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  useJobStore.setState({ jobs: [] });
});

it("says what answers while nothing was trained, and what is coming", () => {
  show([], [job, { ...job, id: 8, graph: 4, created_at: "2026-01-06T12:00:00Z" }]);
  expect(screen.getByText(/nothing was trained on this one/)).toBeInTheDocument();
  expect(
    screen.getByText(/self-training on questions written from the graph: writing questions\./),
  ).toBeInTheDocument();
  expect(screen.getByRole("progressbar", { name: job.title })).toHaveAttribute("aria-valuenow", "25");
});

it("names the checkpoint in use, whatever became of the self-training", () => {
  show([checkpoint], [{ ...job, state: "done", result: { kept: true } }]);
  expect(
    screen.getByText(/reg-path 01234567, trained on this graph \(questions written from the graph\)\./),
  ).toBeInTheDocument();
  expect(screen.queryByRole("progressbar")).toBeNull();
});

it("says of an uploaded checkpoint that it learned elsewhere", () => {
  show([{ ...checkpoint, foreign: true, question_set_name: "uploaded: mine.zip" }], []);
  expect(screen.getByText(/trained on another graph \(uploaded: mine\.zip\)\./)).toBeInTheDocument();
});

it("says why a self-training is not in use", () => {
  const kept = { kept: false, compared: 100, metrics: { exact_set: 0.8, exact_set_before: 0.9 } };
  show([], [{ ...job, state: "done", result: kept }]);
  expect(screen.getByText(/^Discarded: the graph is answered as well without it/)).toBeInTheDocument();
});

it("says that a self-training failed, with the reason", () => {
  const error = { code: "storage_full", message: "The disk became full in the middle.", hint: "Free some." };
  show([], [{ ...job, state: "failed", error }]);
  expect(screen.getByText(/failed, and nothing of it is used: The disk became full/)).toBeInTheDocument();
});
