// The question as it is being written: kept in step with the address, the open run and what can be asked.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { OTHERS_MAX } from "@/api/across";
import { pictureQuery } from "@/api/explore";
import { checkpointsQuery, graphsQuery, methodQuery, sessionQuery, statusQuery } from "@/api/queries";
import type { LinkedEntity } from "@/api/events";
import type { Run } from "@/api/types";
import { withParams } from "@/components/kit/url";
import { chosenCheckpoint, chosenMethod, methodChoices, namedCheckpoint, settingsFor } from "@/view/methods";
import { heldQuestion, holdQuestion } from "@/store/heldQuestion";
import { pinOf, pinsOfRun } from "@/view/pins";
import { rememberGraph, useSettings } from "@/store/settings";
import { chosenSettings } from "@/view/settingsForm";
import { draftOfRun, graphAtFirst, rewritten, startDraft, type Draft } from "./draft";
import { settingsOfUrl, urlOfSettings } from "./settingsUrl";

function numberOf(params: URLSearchParams, name: string): number | null {
  const text = params.get(name) ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** How to ask, as the address has it. */
function howOfUrl(params: URLSearchParams): Partial<Draft> {
  const [method, checkpoint] = [params.get("method"), params.get("checkpoint")];
  const [budget, seed] = [numberOf(params, "budget"), numberOf(params, "seed")];
  const options = settingsOfUrl(params);
  return {
    ...(method && { method }),
    ...(checkpoint && { checkpoint }),
    ...(budget && { budget }),
    ...(seed !== null && { seed }),
    ...(Object.keys(options).length && { options }),
  };
}

function draftOfUrl(params: URLSearchParams): Partial<Draft> {
  const graph = params.get("graph");
  const others = (params.get("also") ?? "").split(".").filter((id) => /^\d{1,15}$/.test(id) && id !== graph);
  return {
    question: params.get("q") ?? "",
    ...(graph && { graph }),
    ...(others.length && { others: [...new Set(others)].slice(0, OTHERS_MAX) }),
    ...howOfUrl(params),
  };
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
  const username = useQuery({ ...sessionQuery, enabled: false }).data?.user?.username;
  const [draft, setDraft] = useState<Draft>(() => {
    const start = startDraft(draftOfUrl(params));
    return id || start.question ? start : { ...start, question: heldQuestion() };
  });

  // A run that is opened brings its question and settings into the box; what was typed before it came stays.
  const [draftOf, setDraftOf] = useState<string | undefined>(undefined);
  const [typedOver, setTypedOver] = useState<string | undefined>(undefined);
  // One that was asked here is in the box already, whatever is typed until the page has gone to it.
  const [coming, setComing] = useState<string | undefined>(undefined);
  if (id !== undefined && coming === id && draftOf !== id) {
    setComing(undefined);
    setDraftOf(id);
  } else if (run && draftOf !== id) {
    setComing(undefined);
    setDraftOf(id);
    const [same, of] = [draft.question.trim() === run.question, draftOfRun(run)];
    const { method, budget, seed, options } = of;
    setDraft({
      ...(same && of.graph === draft.graph ? { ...draft, method, budget, seed, options } : of),
      ...howOfUrl(params),
      ...(typedOver === id && { question: draft.question, given: draft.given }),
    });
  }

  // Its pins come with its first events. A program names entities of its own, which nobody pinned, and the numbers of
  // entities are those of the version that was asked: in another one they may be of others.
  const [pinsOf, setPinsOf] = useState<string | undefined>(undefined);
  const askedOf = graphs.data?.results.find((one) => one.id === run?.graph);
  if (run && askedOf && draftOf === id && linked?.length && pinsOf !== id) {
    setPinsOf(id);
    const isSameVersion = (askedOf.snapshot?.hash ?? "") === run.snapshot;
    if (isSameVersion && !run.program && !draft.given && draft.question.trim() === run.question)
      setDraft({ ...draft, given: pinsOfRun(linked, run.question) });
  }

  // What is to be asked about can come by the address too, by numbers; the graph has the names.
  const topics = id ? "" : (params.get("topics") ?? "");
  const picked = topics.split(".").filter((part) => /^\d{1,15}$/.test(part));
  const about = useQuery({
    ...pictureQuery(draft.graph ?? "", null, picked.map(Number)),
    enabled: picked.length > 0 && draft.graph !== null && draft.graph === params.get("graph"),
  });
  const [topicsOf, setTopicsOf] = useState("");
  const found = about.isPlaceholderData ? undefined : about.data;
  if (found && topicsOf !== topics) {
    setTopicsOf(topics);
    setDraft({ ...draft, given: found.nodes.map((node) => pinOf(node, draft.question)) });
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
  // Only when it is sure that it is not there: a list of before may lack a graph that has just been made.
  const settled = graphs.isSuccess && !graphs.isFetching;
  const first = useMemo(() => graphAtFirst(list ?? [], username), [list, username]);
  // One that could not be imported is shown to who names it alone.
  const askable = known && (known.state !== "failed" || params.get("graph") === draft.graph);
  // Nor is another one taken for one that an address names and that is not there any more.
  const isGone = settled && !known && draft.graph !== null && params.get("graph") === draft.graph;
  if (settled && !askable && first && !id && !isGone) setDraft({ ...draft, graph: String(first.id) });

  // Whoever comes by an address that names a graph finds it again in the menu's Ask.
  const byUrl = known && !id && params.get("graph") === String(known.id) ? known.id : null;
  useEffect(() => {
    if (byUrl !== null) rememberGraph(byUrl);
  }, [byUrl]);

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

  const listed = useQuery({
    ...methodQuery(method?.id ?? ""),
    enabled: method !== undefined && Object.keys(draft.options).length > 0,
  });
  const chosenOf = (of: Draft) =>
    listed.data && method && (checkpoints.data || known?.endpoint)
      ? chosenSettings(settingsFor(listed.data, checkpoint), of.options, method.label)
      : { changed: {}, wrong: null };

  // How to ask stays in the address, so that it can be shared as it stands.
  const keepInUrl = ({
    graph,
    others,
    method: chosen,
    checkpoint: of,
    budget,
    seed,
    options,
  }: Partial<Draft>) => {
    const next = withParams(params, {
      ...(options !== undefined && urlOfSettings(params, options)),
      ...(budget && { budget: String(budget) }),
      ...(seed !== undefined && { seed: String(seed) }),
      ...(graph !== undefined && !id && { graph }),
      ...(others !== undefined && !id && { also: others.join(".") }),
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
    if (next.question !== undefined && id && draftOf !== id) setTypedOver(id);
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
    /** A run was asked with this draft, and the page is about to go to it. */
    onAsked: setComing,
    change,
    status,
    graphs,
    settled,
    known,
    /** The address names a graph that is not there. */
    isGone,
    choices,
    method,
    checkpoint,
    chosen: chosenOf(draft),
    named: named === "" ? null : named,
  };
}
