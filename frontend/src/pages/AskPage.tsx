// Ask: a question in, and out come answers, their evidence, and the graph they came from.
import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { acrossQuery, askAcross } from "@/api/across";
import { ApiError } from "@/api/client";
import {
  ask,
  graphsQuery,
  isAway,
  isOffline,
  keptRun,
  keys,
  methodQuery,
  runQuery,
  sessionQuery,
} from "@/api/queries";
import type { Id } from "@/api/types";
import { Column, Panels, type Parts } from "@/components/ask/AskLayout";
import { AskBar } from "@/components/ask/AskBar";
import { NotSent } from "@/components/ask/NotSent";
import { Welcome } from "@/components/ask/Welcome";
import {
  acrossBody,
  askBody,
  draftOfRun,
  graphAtFirst,
  type Corrected,
  type Draft,
} from "@/components/ask/draft";
import { entitiesNow, goneWords } from "@/components/ask/entitiesNow";
import { useDraft } from "@/components/ask/useDraft";
import { useStopping } from "@/components/ask/useStopping";
import { CompareDialog } from "@/components/compare/CompareDialog";
import { GraphPanel } from "@/components/graph/GraphPanel";
import { warmGraph } from "@/components/graph/GraphStage";
import { Button } from "@/components/kit/controls";
import { useMedia, useTitle } from "@/components/kit/hooks";
import { ErrorNotice, Loading, troubleOf } from "@/components/kit/feedback";
import { useUrl, useUrlNumber } from "@/components/kit/url";
import { useIsTrained } from "@/components/kit/useIsTrained";
import { useMethodName } from "@/components/kit/useMethodName";
import { MissingRun } from "@/components/run/MissingRun";
import { RunActs } from "@/components/run/RunActs";
import { RunSide } from "@/components/run/RunSide";
import { StepsPanel } from "@/components/run/StepsPanel";
import { Timeline } from "@/components/run/Timeline";
import { outcome } from "@/components/run/runWords";
import { useSteering } from "@/components/run/useSteering";
import { useRunLog } from "@/live/hooks";
import { ShareDialog } from "@/components/shared/ShareDialog";
import { elide } from "@/view/format";
import { holdQuestion, letQuestionGo } from "@/store/heldQuestion";
import { pinOf } from "@/view/pins";
import { isOver, viewAt } from "@/view/runView";
import { withName } from "@/view/steps";
import { sceneOf } from "@/view/scene";
import { beforeOf, followsOf } from "@/view/thread";
import { rememberGraph } from "@/store/settings";
import { changedSettings } from "@/view/settingsForm";
import { toast } from "@/store/toasts";

const NARROW = "(max-width: 820px)";

/** What is asked, and with which program where one was changed. */
interface Asked {
  now: Draft;
  corrected: Corrected | null;
}

/** The graph that is asked where none was picked, once the list is there. */
async function firstGraph(client: QueryClient): Promise<Id> {
  const { results } = await client.query({ ...graphsQuery, staleTime: "static" });
  const first = graphAtFirst(results, client.getQueryData(sessionQuery.queryKey)?.user?.username);
  if (!first) throw new ApiError(409, "no_graph", "There is no graph to ask yet.", "Upload one first.");
  return first.id;
}

/** The settings of the method that differ from its defaults, as the server takes them. */
const isGone = (error: Error) => error instanceof ApiError && error.status === 404;

const GRAPH_GONE = new ApiError(
  404,
  "not_found",
  "This graph is not there any more.",
  "It was deleted, or is no longer shared with you. Pick another one to ask.",
);

async function settingsOf(client: QueryClient, { method, options }: Draft): Promise<Record<string, unknown>> {
  if (method === null || Object.keys(options).length === 0) return {};
  const { options: listed } = await client.query({ ...methodQuery(method), staleTime: "static" });
  return changedSettings(listed, options);
}

export function AskPage() {
  const { id } = useParams();
  const navigate = useNavigate();
  const client = useQueryClient();
  const narrow = useMedia(NARROW);
  const box = useRef<{ focus: () => void }>(null);
  const run = useQuery({
    ...runQuery(id ?? ""),
    enabled: id !== undefined,
    // Its place in the line comes with no event.
    refetchInterval: ({ state }) => (state.data?.state === "queued" ? 3_000 : false),
  });
  const { log, link } = useRunLog(id, { state: run.data?.state, at: run.dataUpdatedAt });
  const asks = useDraft(id, run.data, log?.view.linked);
  const { draft, change, status, graphs, settled, known, choices, method, checkpoint, named, chosen } = asks;
  const [step, setStep] = useUrlNumber("step");
  const [, putUrl] = useUrl();
  const [chain] = useUrlNumber("chain");
  const [part] = useUrlNumber("part");
  // One of them is lit at a time.
  const light = (now: { chain?: number | null; part?: number | null }) => {
    putUrl({ chain: now.chain?.toString() ?? null, part: now.part?.toString() ?? null });
  };
  const [comparing, setComparing] = useState(false);
  const [sharing, setSharing] = useState(false);
  const [lit, setLit] = useState<readonly string[] | null>(null);
  useTitle(id ? elide(run.data?.question ?? "Run", 60) : "Ask");

  // A thread belongs to its person: beside somebody else's run, a question stands alone.
  const isMine = run.data?.user === useQuery(sessionQuery).data?.user?.username;
  const leader = isMine ? run.data : undefined;
  const before = beforeOf(draft, leader, log?.view);
  const follows = followsOf(draft, leader, before);

  const asking = useMutation({
    mutationFn: async ({ now, corrected }: Asked) => {
      const how = {
        method: method?.id ?? now.method,
        checkpoint: named,
        stepByStep: now.stepByStep && (method?.steerable ?? false),
      };
      const options = await settingsOf(client, { ...now, ...how });
      return ask(askBody({ ...now, ...how }, now.graph ?? (await firstGraph(client)), options, corrected));
    },
    onError: (error, { now }) => {
      const kept = keptRun(error);
      if (kept !== null) void navigate(`/runs/${kept}`);
      else if (isAway(error)) {
        holdQuestion(now.question);
        void client.invalidateQueries({ queryKey: keys.status });
      }
    },
    onSuccess: (created) => {
      letQuestionGo();
      rememberGraph(created.graph);
      client.setQueryData([...keys.runs, created.id], created);
      asks.onAsked(created.id);
      asks.setDraft((now) => ({ ...now, alone: false }));
      void navigate(`/runs/${created.id}${named === null ? "" : `?checkpoint=${named}`}`);
    },
  });
  const across = useMutation({
    mutationFn: async (now: Draft) => askAcross(acrossBody(now, now.graph ?? (await firstGraph(client)))),
    onSuccess: (asked) => {
      client.setQueryData(acrossQuery(asked.id).queryKey, asked);
      void navigate(`/across/${asked.id}`);
    },
  });
  const askNow = (next: Partial<Draft> = {}, corrected: Corrected | null = null) => {
    const now = { ...draft, follows, ...next };
    asks.setDraft(now);
    asking.mutate({ now, corrected });
  };

  const askAbout = async (about: readonly { id: number; label: string }[]) => {
    const graph = graphs.data?.results.find((one) => one.id === run.data?.graph);
    try {
      const now = run.data && graph ? await entitiesNow(client, run.data, graph, about) : null;
      if (now?.gone.length) toast(goneWords(now.gone));
      const given = now?.found ?? about;
      if (given.length) change({ given: given.map((one) => pinOf(one, "")), question: "" });
      box.current?.focus();
    } catch (error) {
      toast(troubleOf(error).message);
    }
  };

  const live = log?.view;
  const steering = useSteering(run.data, live);
  const isTrained = useIsTrained()(live?.started?.method);
  const over = live !== undefined && isOver(live.phase) && steering?.phase !== "going";
  const waits = live?.phase === "paused" && steering?.phase !== "going";
  const running = id !== undefined && live !== undefined && !over && !waits && link !== "missing";
  const [stopping, stop] = useStopping(id, over);
  const shown = useMemo(
    () => (log && step !== null ? viewAt(log.run, log.applied, step) : log?.view),
    [log, step],
  );
  const nameOf = useMethodName();
  const told = (live?.steps ?? []).map((one) => withName(one, nameOf));
  const litNodes = part === null ? undefined : shown?.program?.steps[part]?.nodes;
  useEffect(warmGraph, []);

  // The question is the first thing one wants; a keyboard need not look for it.
  useEffect(() => {
    if (!id && !narrow) box.current?.focus();
  }, [id, narrow]);

  const list = graphs.data?.results;
  const missing = (run.error !== null && isGone(run.error)) || link === "missing";
  const most = status?.budgets.max ?? 0;
  const budget = draft.budget ?? 0;

  const parts: Parts | null =
    live && shown ? { drawing: drawing(), side: side(), steps: steps(), timeline: timeline() } : null;

  return (
    <div className={`ask ${narrow ? "narrow" : ""}`}>
      <h1 className="sr-only">{id ? (run.data?.question ?? "Run") : "Ask"}</h1>
      <AskBar
        box={box}
        draft={draft}
        onDraft={change}
        graphs={list ?? []}
        settled={settled}
        status={status}
        choices={choices}
        method={method}
        checkpoint={checkpoint}
        view={live ?? null}
        about={before?.about ?? null}
        running={running}
        stopping={stopping}
        asking={asking.isPending || across.isPending}
        settings={chosen}
        onAsk={() => {
          if (draft.others.length) across.mutate(draft);
          else askNow();
        }}
        onStop={stop}
        onCompare={() => setComparing(true)}
      />
      {known && (
        <CompareDialog
          graph={known}
          draft={{ ...draft, follows }}
          choices={choices}
          settings={method ? { [method.id]: chosen.changed } : {}}
          isOpen={comparing}
          onClose={() => setComparing(false)}
        />
      )}
      {run.data && <ShareDialog run={run.data} isOpen={sharing} onClose={() => setSharing(false)} />}
      <p className="sr-only" role="status" aria-live="polite">
        {live && outcome(live)}
      </p>
      {across.error && (
        <div className="page-note">
          <ErrorNotice error={across.error} />
        </div>
      )}
      {asking.error && keptRun(asking.error) === null && (
        <div className="page-note">
          {isOffline(asking.error) ? (
            <NotSent
              error={asking.error}
              at={asking.submittedAt}
              onAsk={() => askNow({}, asking.variables.corrected)}
            />
          ) : (
            <ErrorNotice error={isGone(asking.error) && !known ? GRAPH_GONE : asking.error} />
          )}
        </div>
      )}
      {graphs.error && (
        <div className="page-note">
          <ErrorNotice error={graphs.error} />
        </div>
      )}
      {!id && (
        <div className="ask-empty">
          {graphs.isPending ? (
            <Loading what="graphs" />
          ) : (
            <Welcome
              graphs={list}
              graph={known}
              isGone={asks.isGone}
              onExample={(question) => askNow({ question, given: null })}
            />
          )}
        </div>
      )}
      {id && missing && <MissingRun />}
      {id && !missing && run.error && (
        <div className="page-note">
          <ErrorNotice
            error={run.error}
            acts={<Button onPress={() => void run.refetch()}>Try again</Button>}
          />
        </div>
      )}
      {id && !missing && !run.error && !live && <Loading what="the run" />}
      {id && !missing && parts && (narrow ? <Column {...parts} /> : <Panels {...parts} />)}
    </div>
  );

  function side() {
    if (!live || !shown) return null;
    return (
      <RunSide
        key={id}
        run={run.data}
        live={live}
        shown={shown}
        link={link}
        graph={list?.find((one) => String(one.id) === String(run.data?.graph))}
        status={status}
        chain={chain}
        isTrained={isTrained}
        steering={steering}
        onStop={stop}
        onChain={(next) => light({ chain: next })}
        onEnd={() => setStep(null)}
        onFind={(entity, of) =>
          putUrl({
            node: String(entity),
            ...(of !== undefined && { chain: String(of), part: null }),
            ...(narrow && { view: "graph" }),
          })
        }
        onAgain={() => askNow()}
        onExample={(question) => askNow({ question, given: null, follows: null })}
        onMeant={(name) => {
          const [missed] = live.unmatched;
          const asked = run.data?.question ?? draft.question;
          const question =
            missed && asked.includes(missed) ? asked.replace(missed, name) : `${asked} ${name}`;
          askNow({ question, given: null });
        }}
        part={part}
        onPart={(next) => light({ part: next })}
        onProgram={(program) => {
          if (id && run.data) askNow({ ...draftOfRun(run.data), given: [] }, { program, corrects: id });
        }}
        onBudget={(budget) => askNow({ budget })}
        onPin={(entity) => askNow({ given: [pinOf(entity, run.data?.question ?? "")] })}
        onRaiseBudget={
          budget < most
            ? () => {
                askNow({ budget: Math.min(2 * (draft.budget ?? 50), most) });
              }
            : undefined
        }
      />
    );
  }

  function steps() {
    if (!live?.steps.length) return null;
    return (
      <StepsPanel
        steps={told}
        step={step}
        view={live}
        onStep={setStep}
        onLight={setLit}
        isTrained={isTrained}
        llm={run.data?.llm ?? ""}
        options={run.data?.options ?? {}}
        steering={steering}
      />
    );
  }

  function drawing() {
    if (!shown || !run.data) return null;
    return (
      <GraphPanel
        key={id}
        graph={run.data.graph}
        view={shown}
        chain={chain}
        lit={lit ?? undefined}
        litNodes={litNodes}
        onAsk={(about) => void askAbout(about)}
        onClearChain={() => light({})}
      />
    );
  }

  function timeline() {
    if (!live?.steps.length) return null;
    return (
      <Timeline steps={told} step={step} live={running} onStep={setStep}>
        {run.data && (
          <RunActs run={run.data} explore={sceneOf(run.data, live)} onShare={() => setSharing(true)} />
        )}
      </Timeline>
    );
  }
}
