// Questions generated from the graph's own facts: to try it, to train a first retriever, or to keep.
import { useState } from "react";
import { Link } from "react-router";
import { sampleQuestions } from "@/api/datasets";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { ErrorNotice } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { Card } from "@/components/kit/Card";
import { count } from "@/view/format";
import { toast } from "@/store/toasts";

const SHOWN = 8;
const KEPT = 500;

export function SampleQuestions({ graph, mayWrite }: { graph: Graph; mayWrite: boolean }) {
  const [seed, setSeed] = useState(0);
  const [name, setName] = useState("Made of the graph");
  const draw = useAct((from: number) => sampleQuestions(graph.id, { n: SHOWN, seed: from }));
  const keep = useAct(() => sampleQuestions(graph.id, { n: KEPT, seed, name: name.trim() }), {
    changes: [keys.questionSets],
    done: ({ question_set: set }) =>
      toast(`${count(set?.questions ?? 0, "question")} are saved as ${set?.name ?? name}.`),
  });
  const error = draw.error ?? keep.error;
  const questions = draw.data?.questions;
  return (
    <Card
      title="Questions generated from the graph"
      id="samples"
      acts={
        <Button
          size="small"
          isDisabled={draw.isPending}
          onPress={() => {
            const next = questions ? seed + 1 : seed;
            setSeed(next);
            draw.mutate(next);
          }}
        >
          {questions ? "Others" : "Generate some"}
        </Button>
      }
    >
      {error && <ErrorNotice error={error} />}
      {!questions && (
        <p className="body muted">
          Questions of one to three hops with their answers, worded from the relations&apos; names. Good for a
          first try and a first training; people put things differently.
        </p>
      )}
      {questions?.length === 0 && (
        <p className="body muted">No question could be made: the graph has too few facts for that.</p>
      )}
      {questions && questions.length > 0 && (
        <ul className="body sampled">
          {questions.map((one) => (
            <li key={one.question}>
              <Link to={`/?graph=${graph.id}&q=${encodeURIComponent(one.question)}`}>{one.question}</Link>{" "}
              <span className="small muted">
                {one.answers.slice(0, 3).join(", ")}
                {one.answers.length > 3 && ` and ${one.answers.length - 3} more`} ·{" "}
                {count(one.hops ?? 0, "hop")}
              </span>
            </li>
          ))}
        </ul>
      )}
      {mayWrite && questions && questions.length > 0 && (
        <form
          className="body row wrap"
          onSubmit={(event) => {
            event.preventDefault();
            keep.mutate();
          }}
        >
          <input
            className="input"
            aria-label="Name of the question set"
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button size="small" type="submit" isDisabled={keep.isPending || !name.trim()}>
            {keep.isPending ? "Saving" : `Save ${KEPT} as a question set`}
          </Button>
        </form>
      )}
    </Card>
  );
}
