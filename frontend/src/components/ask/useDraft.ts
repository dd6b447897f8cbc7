// The question as it is being written: kept in step with the address, the open run and what can be asked.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { checkpointsQuery, graphsQuery, statusQuery } from "@/api/queries";
import type { LinkedEntity } from "@/api/events";
import type { Run } from "@/api/types";
import { withParams } from "@/components/kit/url";
import { chosenCheckpoint, chosenMethod, methodChoices, namedCheckpoint } from "@/store/methods";
import { heldQuestion, holdQuestion } from "@/store/heldQuestion";
import { pinsOfRun } from "@/store/pins";
import { useSettings } from "@/store/settings";
import { draftOfRun, rewritten, startDraft, type Draft } from "./draft";

/** How to ask, as the address has it. */
function howOfUrl(params: URLSearchParams): Partial<Draft> {
  const [method, checkpoint] = [params.get("method"), params.get("checkpoint")];
  return { ...(method && { method }), ...(checkpoint && { checkpoint }) };
}

function draftOfUrl(params: URLSearchParams): Partial<Draft> {
  const graph = params.get("graph");
  return { question: params.get("q") ?? "", ...(graph && { graph }), ...howOfUrl(params) };
}

/** The draft, and what it comes to: its graph, method and checkpoint. `id`, `run` and `linked` are of the open run. */
export function useDraft(
  id: string | undefined,
  run: Run | undefined,
  linked: readonly LinkedEntity[] | undefined,
) {
  const [params, setParams] = useSearchParams();
  const settings = useSettings();
  const status = useQuery(statusQuery).data;
  const graphs = useQuery(graphsQuery);
  const [draft, setDraft] = useState<Draft>(() => {
    const start = startDraft(draftOfUrl(params));
    return id || start.question ? start : { ...start, question: heldQuestion() };
  });

  // A run that is opened brings its question and settings into the box.
  const [draftOf, setDraftOf] = useState<string | undefined>(undefined);
  if (run && draftOf !== id) {
    setDraftOf(id);
    if (draft.question.trim() !== run.question || String(run.graph) !== draft.graph) {
      setDraft({ ...draftOfRun(run), ...howOfUrl(params) });
    }
  }

  // Its pins come with its first events. A program names entities of its own, which nobody pinned.
  const [pinsOf, setPinsOf] = useState<string | undefined>(undefined);
  if (run && linked?.length && pinsOf !== id) {
    setPinsOf(id);
    if (!run.program && !draft.given && draft.question.trim() === run.question)
      setDraft({ ...draft, given: pinsOfRun(linked, run.question) });
  }

  // So does a question that comes by the address, from the palette or from a graph's page.
  const asked = id ? "" : params.toString();
  const [draftBy, setDraftBy] = useState(asked);
  // What this page wrote there itself is in the draft already.
  const [ownUrl, setOwnUrl] = useState("");
  if (asked && draftBy !== asked) {
    setDraftBy(asked);
    if (asked !== ownUrl) {
      setDraftOf(undefined);
      setDraft(startDraft({ graph: draft.graph, ...draftOfUrl(params) }));
    }
  }

  const list = graphs.data?.results;
  const known = list?.find((one) => String(one.id) === draft.graph);
  const ready = list?.find((one) => one.state === "ready");
  // Only when it is sure that it is not there: a list of before may lack a graph that has just been made.
  const settled = graphs.isSuccess && !graphs.isFetching;
  if (settled && !known && ready && !id) setDraft({ ...draft, graph: String(ready.id) });

  const checkpoints = useQuery({ ...checkpointsQuery(draft.graph ?? ""), enabled: draft.graph !== null });
  const choices = useMemo(
    () =>
      methodChoices(status?.methods ?? [], checkpoints.data?.results ?? [], {
        graph: known,
        llm: status?.llm.configured ?? false,
      }),
    [status, checkpoints.data, known],
  );
  const method = chosenMethod(choices, draft.method, known?.checkpoint?.method);
  const checkpoint = chosenCheckpoint(method, draft.checkpoint);
  // One that the address names is sent before the list is there: the server knows it.
  const named = checkpoints.data
    ? String(namedCheckpoint(method, draft.checkpoint)?.id ?? "")
    : draft.checkpoint;

  // Graph, method and checkpoint stay in the address, so that it can be shared as it stands.
  const keepInUrl = ({ graph, method: chosen, checkpoint: of }: Partial<Draft>) => {
    const next = withParams(params, {
      ...(graph !== undefined && !id && { graph }),
      ...(chosen !== undefined && { method: chosen }),
      ...(of !== undefined && { checkpoint: of }),
    });
    if (next.toString() === params.toString()) return;
    setOwnUrl(next.toString());
    setParams(next, { replace: true });
  };

  const change = (next: Partial<Draft>) => {
    setDraft((now) => ({ ...(next.question === undefined ? now : rewritten(now, next.question)), ...next }));
    keepInUrl(next);
    if (next.question !== undefined && heldQuestion()) holdQuestion(next.question);
    const { graph, method: chosen, reasoner, budget, seed } = next;
    settings.set(
      Object.fromEntries(
        Object.entries({ graph, method: chosen, reasoner, budget, seed }).filter(
          ([, value]) => value !== undefined,
        ),
      ),
    );
  };

  return {
    draft,
    setDraft,
    setDraftOf,
    change,
    status,
    graphs,
    settled,
    known,
    choices,
    method,
    checkpoint,
    named: named === "" ? null : named,
  };
}
