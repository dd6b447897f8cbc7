// Steps of agents that people chose otherwise than the policy: labels for the next training.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { correctionsQuery, downloadCorrections, type Correction } from "@/api/trajectories";
import type { Id } from "@/api/types";
import { Pages } from "@/components/kit/Pages";
import { Button } from "@/components/kit/controls";
import { Ago, ErrorNotice } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { fileName, saveFile } from "@/components/kit/files";
import { Card } from "@/components/kit/Card";
import { actionLine } from "@/view/agentActions";
import { elide } from "@/view/format";

const SIZE = 10;
const STATES: Record<Correction["state"], [tone: string, word: string, why: string]> = {
  kept: ["good", "label", "The run went on from it to an answer"],
  open: ["", "open", "The run has no answer yet"],
  undone: ["warn", "taken back", "It was undone, or was not possible"],
};

function Row({ correction }: { correction: Correction }) {
  const { run, question, step, proposed, chosen, state, user, at } = correction;
  const [tone, word, why] = STATES[state];
  return (
    <tr>
      <td className="cell-name">
        <Link to={`/runs/${run}`} className="run-link">
          {elide(question, 90)}
        </Link>
        <div className="small muted">
          <bdi>{correction.graph_name}</bdi> · step {step}
        </div>
      </td>
      <td>
        <span className="undone-line">{proposed ? actionLine(proposed) : "not known"}</span>
        <div>{actionLine(chosen)}</div>
      </td>
      <td>
        <span className={`badge ${tone}`} title={why}>
          {word}
        </span>
      </td>
      <td className="muted nowrap hide-narrow">
        {user} <Ago iso={at} />
      </td>
    </tr>
  );
}

export function Corrections({ graph }: { graph: Id | null }) {
  const [page, setPage] = useState(1);
  const found = useQuery(correctionsQuery(graph, page, SIZE));
  const rows = found.data?.results ?? [];
  if (found.data && rows.length === 0) return null;
  const save = () => {
    if (graph === null) return;
    void saveFile(fileName("corrections", "jsonl"), downloadCorrections(graph), "The corrections");
  };
  return (
    <Card
      title="Corrections"
      count={found.data?.count}
      acts={
        graph === null ? (
          <span className="muted small">Pick a graph to download them</span>
        ) : (
          <Button size="small" icon="download" onPress={save}>
            Download (JSONL)
          </Button>
        )
      }
    >
      {found.error && <ErrorNotice error={found.error} />}
      {rows.length > 0 && (
        <ResourceTable
          heads={[["Question"], ["The policy’s step, and the person’s"], ["State"], ["By", "hide-narrow"]]}
        >
          {rows.map((one) => (
            <Row key={one.id} correction={one} />
          ))}
        </ResourceTable>
      )}
      <Pages what="the corrections" page={page} size={SIZE} data={found.data} onPage={setPage} />
    </Card>
  );
}
