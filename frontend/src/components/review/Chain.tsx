// A relation path in words, with the arrows as it is walked.
import { Fragment } from "react";
import type { RelationStep } from "@/api/events";

export function Chain({ topic, steps }: { topic: string; steps: readonly RelationStep[] }) {
  return (
    <>
      <strong>{topic}</strong>
      {steps.map((step, at) => (
        <Fragment key={at}>
          {" "}
          <span className="rel" title={step.name}>
            <span aria-hidden="true">{step.inverse ? "←" : "→"}</span> {step.label}
            {step.inverse && <span className="sr-only"> (backward)</span>}
          </span>
        </Fragment>
      ))}
    </>
  );
}

/** A relation path as one line of text. */
export function chainLine(topic: string, steps: readonly RelationStep[]): string {
  return [topic, ...steps.map((step) => `${step.inverse ? "←" : "→"} ${step.label}`)].join(" ");
}
