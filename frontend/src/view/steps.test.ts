import { expect, it } from "vitest";
import { withName, type Step } from "./steps";

const step = (type: Step["type"], detail: string): Step => ({
  ...{ seq: 1, type, title: "", detail, offset: 0, took: null },
});

it("tells a method by its name", () => {
  const name = (method: string) => ({ "rel-rag-path": "Relation paths" })[method] ?? method;
  expect(withName(step("run.started", "rel-rag-path, extractive reasoner, budget 50"), name).detail).toBe(
    "Relation paths, extractive reasoner, budget 50",
  );
  expect(withName(step("path.retrieved", "rel-rag-path"), name).detail).toBe("rel-rag-path");
});
