import { describe, expect, it } from "vitest";
import type { Run } from "@/api/types";
import { EVENTS, RUN } from "@/test/switzerland";
import { reduceRun, emptyView } from "./runView";
import { aboutOf, beforeOf, followsOf } from "./thread";

const view = EVENTS.reduce(reduceRun, emptyView(RUN));
const run = { id: RUN, graph: 1, question: view.started?.question, follows: "earlier" } as unknown as Run;
const written = { question: "which of them are in Asia?", graph: "1", alone: false };

describe("what a question was about", () => {
  it("is its answers, by the words of the question where these name them", () => {
    expect(aboutOf("Which countries border Germany?", ["Austria", "France"], 2)).toBe(
      "2 countries that border Germany",
    );
    expect(aboutOf("Which countries are in Africa?", ["Chad", "Mali"], 2)).toBe(
      "2 countries that are in Africa",
    );
    expect(aboutOf("What is the longest river in Africa?", ["Nile"], 1)).toBe("Nile");
    expect(aboutOf("Which films did Nolan direct?", ["Inception", "Memento"], 2)).toBe(
      "2 answers to “Which films did Nolan direct?”",
    );
  });
  it("is the question where its answer is a number or there is none", () => {
    expect(aboutOf("How many countries border Germany?", ["9"], 0)).toBe(
      "“How many countries border Germany?”",
    );
  });
});

describe("what a question follows", () => {
  it("is the open run, once it is answered", () => {
    expect(beforeOf(written, run, view)).toEqual({
      id: RUN,
      about: "2 languages that are spoken in the countries that border Sw…",
    });
    expect(beforeOf(written, run, { ...view, phase: "running" })).toBeNull();
  });
  it("is nothing where the chip was taken off, another graph is asked, or the same question stands there", () => {
    expect(beforeOf({ ...written, alone: true }, run, view)).toBeNull();
    expect(beforeOf({ ...written, graph: "2" }, run, view)).toBeNull();
    expect(beforeOf({ ...written, question: run.question }, run, view)).toBeNull();
  });
  it("is what the same question followed when it is asked again", () => {
    expect(followsOf(written, run, { id: RUN, about: "" })).toBe(RUN);
    expect(followsOf({ ...written, question: run.question }, run, null)).toBe("earlier");
    expect(followsOf({ ...written, alone: true, question: run.question }, run, null)).toBeNull();
  });
});
