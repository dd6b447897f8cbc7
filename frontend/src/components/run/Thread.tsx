// The questions of a thread, oldest first: which are open to be gone back to, and where it can be shared.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { runsQuery } from "@/api/queries";
import type { Run } from "@/api/types";
import { count, valueText } from "@/view/format";
import "./thread.css";

const SHOWN = 3;

function answered(run: Run): string {
  if (run.state !== "done") return run.state;
  if (!run.answers_count) return "no answer";
  return run.answers_count > SHOWN
    ? count(run.answers_count, "answer")
    : run.answers.map(valueText).join(", ");
}

export function Thread({ run }: { run: Run }) {
  const { thread } = run;
  const turns = useQuery({
    ...runsQuery({ thread: thread ?? "", page_size: 100 }),
    enabled: Boolean(thread),
    refetchOnMount: "always",
  });
  const all = [...(turns.data?.results ?? [])].reverse();
  if (!thread || all.length < 2) return null;
  return (
    <nav className="thread" aria-label="Thread">
      <p className="small muted">
        <Link to={`/threads/${thread}`}>Thread</Link> of {count(all.length, "question")}
      </p>
      <ol>
        {all.map((turn) => (
          <li key={turn.id} aria-current={turn.id === run.id ? "page" : undefined}>
            {turn.id === run.id ? (
              <bdi>{turn.question}</bdi>
            ) : (
              <Link to={`/runs/${turn.id}`}>
                <bdi>{turn.question}</bdi>
              </Link>
            )}{" "}
            <span className="muted elide">
              <bdi>{answered(turn)}</bdi>
            </span>
          </li>
        ))}
      </ol>
    </nav>
  );
}
