// Ask: a question in, and out come answers, their evidence, and the graph they came from.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { ApiError } from "@/api/client";
import {
  ask,
  checkpointsQuery,
  exportRun,
  graphsQuery,
  keys,
  runQuery,
  statusQuery,
  stopRun,
} from "@/api/queries";
import type { Run } from "@/api/types";
import { AskBar } from "@/components/ask/AskBar";
import { Welcome } from "@/components/ask/Welcome";
import { askBody, draftOfRun, startDraft, type Draft } from "@/components/ask/draft";
import { CompareDialog } from "@/components/compare/CompareDialog";
import { GraphPanel, warmGraph } from "@/components/graph/GraphPanel";
import { ActMenu, Button } from "@/components/kit/controls";
import { useMedia, useTitle } from "@/components/kit/hooks";
import { EmptyState, ErrorNotice, Loading, Notice, troubleOf } from "@/components/kit/says";
import { useLearns } from "@/components/kit/useLearns";
import { useUrl, useUrlNumber, withParams } from "@/components/kit/url";
import { AnswersPanel } from "@/components/run/AnswersPanel";
import { ChainsPanel } from "@/components/run/ChainsPanel";
import { PassagesPanel } from "@/components/run/PassagesPanel";
import { NoAnswerCard } from "@/components/run/NoAnswerCard";
import { RunNotices } from "@/components/run/RunNotices";
import { StepsPanel } from "@/components/run/StepsPanel";
import { Timeline } from "@/components/run/Timeline";
import { useRunLog } from "@/live/hooks";
import { citationOf, citationText } from "@/store/citations";
import { copyText, download, fileName } from "@/store/files";
import { count, elide } from "@/store/format";
import { chosenCheckpoint, chosenMethod, methodChoices } from "@/store/methods";
import { isOver, viewAt, type RunView } from "@/store/runView";
import { useSettings } from "@/store/settings";
import { toast } from "@/store/toasts";

const NARROW = "(max-width: 820px)";

/** How to ask, as the address has it. */
function howOfUrl(params: URLSearchParams): Partial<Draft> {
  const [method, checkpoint] = [params.get("method"), params.get("checkpoint")];
  return { ...(method && { method }), ...(checkpoint && { checkpoint }) };
}

function draftOfUrl(params: URLSearchParams): Partial<Draft> {
  const graph = params.get("graph");
  return { question: params.get("q") ?? "", ...(graph && { graph }), ...howOfUrl(params) };
}

/** What a screen reader hears when a run ends. */
function outcome(view: RunView): string {
  if (view.phase === "done") {
    return view.noAnswer
      ? `No answer. ${view.noAnswer.message}`
      : `${count(view.answers.length, "answer")}: ${view.answers
          .slice(0, 5)
          .map((answer) => answer.label)
          .join(", ")}`;
  }
  if (view.phase === "failed") return `The run failed. ${view.failure?.message ?? ""}`;
  if (view.phase === "cancelled") return "Stopped. The result is incomplete.";
  return view.phase === "running" ? "Running" : "";
}

/** What is going on, for the line that stands where the answers will. */
function doing(view: RunView): string {
  const walk = view.agent.at(-1);
  if (view.chains.length) return "Reasoning over the evidence";
  if (walk) return `Step ${walk.event.step}: ${walk.event.observation}`;
  if (view.passages.length) return `Reading ${count(view.passages.length, "passage")}`;
  if (view.paths.length) return `Retrieving paths, ${view.paths.length} so far`;
  if (view.subgraph) return `Searching ${count(view.subgraph.triples, "triple")}`;
  return view.linked.length ? "Cutting out the subgraph" : "Linking entities";
}

function RunActs({ run }: { run: Run }) {
  const navigate = useNavigate();
  return (
    <ActMenu
      label="This run"
      trigger={<Button look="plain" size="small" icon="more" aria-label="Link and export of this run" />}
      acts={[
        {
          id: "link",
          label: "Copy the link",
          icon: "link",
          onAction: () => void copyText(window.location.href, "Link"),
        },
        ...(run.group
          ? [
              {
                id: "group",
                label: "Open the comparison",
                icon: "compare" as const,
                onAction: () => void navigate(`/compare/${run.group ?? ""}`),
              },
            ]
          : []),
        {
          id: "json",
          label: "Download the run (JSON)",
          icon: "download",
          onAction: () =>
            void exportRun(run.id).then(
              (content) => {
                download(fileName(`${run.question} run`, "json"), JSON.stringify(content, null, 2));
              },
              (error: unknown) => {
                toast(`The run could not be exported. ${troubleOf(error).message}`);
              },
            ),
        },
      ]}
    />
  );
}

export function AskPage() {
  const { id } = useParams();
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const client = useQueryClient();
  const narrow = useMedia(NARROW);
  const settings = useSettings();
  const box = useRef<{ focus: () => void }>(null);
  const status = useQuery(statusQuery);
  const graphs = useQuery(graphsQuery);
  const run = useQuery({ ...runQuery(id ?? ""), enabled: id !== undefined });
  const { log, link } = useRunLog(id);
  const [step, setStep] = useUrlNumber("step");
  const [chain, setChain] = useUrlNumber("chain");
  const [draft, setDraft] = useState<Draft>(() => startDraft(draftOfUrl(params)));
  const [comparing, setComparing] = useState(false);
  const [address, putUrl] = useUrl();
  const [cite, setCite] = useState(() => citationOf(address.get("cite")));
  const [lit, setLit] = useState<readonly string[] | null>(null);
  const [find, setFind] = useState<{ id: number } | null>(null);
  const [stopping, setStopping] = useState<string | null>(null);
  const panels = useDefaultLayout({ id: "clew-ask", storage: window.localStorage });
  useTitle(id ? elide(run.data?.question ?? "Run", 60) : "Ask");

  // A run that is opened brings its question and settings into the box.
  const [draftOf, setDraftOf] = useState<string | undefined>(undefined);
  if (run.data && draftOf !== id) {
    setDraftOf(id);
    if (draft.question.trim() !== run.data.question || String(run.data.graph) !== draft.graph) {
      setDraft({ ...draftOfRun(run.data), ...howOfUrl(params) });
    }
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
  if (list && !known && ready && !id) setDraft({ ...draft, graph: String(ready.id) });

  const checkpoints = useQuery({ ...checkpointsQuery(draft.graph ?? ""), enabled: draft.graph !== null });
  const choices = useMemo(
    () =>
      methodChoices(status.data?.methods ?? [], checkpoints.data?.results ?? [], {
        graph: known,
        llm: status.data?.llm.configured ?? false,
      }),
    [status.data, checkpoints.data, known],
  );
  const method = chosenMethod(choices, draft.method, known?.checkpoint?.method);
  const checkpoint = chosenCheckpoint(method, draft.checkpoint);

  const change = (next: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...next }));
    keepInUrl(next);
    const { graph, method, reasoner, budget, seed } = next;
    settings.set(
      Object.fromEntries(
        Object.entries({ graph, method, reasoner, budget, seed }).filter(([, value]) => value !== undefined),
      ),
    );
  };

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

  const asking = useMutation({
    mutationFn: (now: Draft) =>
      ask(
        askBody(
          { ...now, method: method?.id ?? now.method, checkpoint: checkpoint ? String(checkpoint.id) : null },
          known?.id ?? now.graph ?? "",
        ),
      ),
    onSuccess: (created) => {
      client.setQueryData([...keys.runs, created.id], created);
      setDraftOf(created.id);
      setFind(null);
      void navigate(`/runs/${created.id}`);
    },
  });
  const askNow = (next: Partial<Draft> = {}) => {
    const now = { ...draft, ...next };
    setDraft(now);
    asking.mutate(now);
  };

  const live = log?.view;
  const learns = useLearns()(live?.started?.method);
  const running = id !== undefined && live !== undefined && !isOver(live.phase) && link !== "missing";
  const shown = useMemo(
    () => (log && step !== null ? viewAt(log.run, log.applied, step) : log?.view),
    [log, step],
  );
  const stop = async () => {
    if (!id) return;
    setStopping(id);
    try {
      await stopRun(id);
    } catch (error) {
      setStopping(null);
      toast(`The run could not be stopped. ${troubleOf(error).message}`);
    }
  };

  useEffect(warmGraph, []);

  // The question is the first thing one wants; a keyboard need not look for it.
  useEffect(() => {
    if (!id && !narrow) box.current?.focus();
  }, [id, narrow]);

  const missing = (run.error instanceof ApiError && run.error.status === 404) || link === "missing";
  const graphOfRun = list?.find((one) => String(one.id) === String(run.data?.graph));

  const side = live && shown && (
    <>
      <div className="side-notes">
        {step !== null && step < live.seq && (
          <Notice
            tone="info"
            title={`The run as of step ${shown.steps.length} of ${live.steps.length}`}
            acts={
              <Button
                size="small"
                onPress={() => {
                  setStep(null);
                }}
              >
                Show the end
              </Button>
            }
          />
        )}
        <RunNotices
          view={live}
          link={link}
          run={run.data}
          graph={graphOfRun}
          status={status.data}
          onAgain={() => {
            askNow();
          }}
        />
        {shown.noAnswer && (
          <NoAnswerCard
            noAnswer={shown.noAnswer}
            onAgain={() => {
              askNow();
            }}
            onRaiseBudget={
              status.data && (draft.budget ?? 0) < status.data.budgets.max
                ? () => {
                    askNow({ budget: Math.min(2 * (draft.budget ?? 50), status.data.budgets.max) });
                  }
                : undefined
            }
          />
        )}
      </div>
      {running && shown.phase === "running" && !shown.answers.length && !shown.text && (
        <p className="waiting" role="status">
          <span className="spin" aria-hidden="true" /> {doing(shown)}…
        </p>
      )}
      <AnswersPanel
        view={shown}
        chain={chain}
        onChain={setChain}
        onFind={(entity) => {
          setFind({ id: entity });
        }}
        onCite={(citation) => {
          // A new object each time, so that the same sentence is shown again.
          setCite({ ...citation });
          putUrl({ cite: citationText(citation) });
        }}
        learns={learns}
      />
      <PassagesPanel key={`${id ?? ""} passages`} view={shown} cite={cite} />
      <ChainsPanel view={shown} chain={chain} onChain={setChain} />
    </>
  );
  const steps = live && shown && live.steps.length > 0 && (
    <StepsPanel
      steps={live.steps}
      step={step}
      view={live}
      onStep={setStep}
      onLight={setLit}
      learns={learns}
      llm={run.data?.llm ?? ""}
    />
  );
  const drawing = shown && run.data && (
    <GraphPanel
      key={id}
      graph={run.data.graph}
      view={shown}
      chain={chain}
      theme={settings.theme}
      find={find}
      lit={lit ?? undefined}
      onAsk={(about) => {
        change({ given: [about], question: "" });
        box.current?.focus();
      }}
      onClearChain={() => {
        setChain(null);
      }}
    />
  );
  const timeline = live && live.steps.length > 0 && (
    <Timeline steps={live.steps} step={step} live={running} onStep={setStep}>
      {run.data && <RunActs run={run.data} />}
    </Timeline>
  );

  return (
    <div className={`ask ${narrow ? "narrow" : ""}`}>
      <h1 className="sr-only">{id ? (run.data?.question ?? "Run") : "Ask"}</h1>
      <AskBar
        box={box}
        draft={draft}
        onDraft={change}
        graphs={list ?? []}
        status={status.data}
        choices={choices}
        method={method}
        checkpoint={checkpoint}
        view={live ?? null}
        running={running}
        stopping={stopping === id}
        asking={asking.isPending}
        onAsk={() => {
          askNow();
        }}
        onStop={() => void stop()}
        onCompare={() => {
          setComparing(true);
        }}
      />
      {known && (
        <CompareDialog
          graph={known}
          draft={draft}
          choices={choices}
          isOpen={comparing}
          onClose={() => {
            setComparing(false);
          }}
        />
      )}
      <p className="sr-only" role="status" aria-live="polite">
        {live && outcome(live)}
      </p>
      {asking.error && (
        <div className="page-note">
          <ErrorNotice error={asking.error} />
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
              onExample={(question) => {
                askNow({ question, given: null });
              }}
            />
          )}
        </div>
      )}
      {id && missing && (
        <EmptyState
          title="This run does not exist"
          act={
            <Button look="primary" onPress={() => void navigate("/history")}>
              Open the history
            </Button>
          }
        >
          It may have been deleted, or the address is incomplete.
        </EmptyState>
      )}
      {id && !missing && run.error && (
        <div className="page-note">
          <ErrorNotice
            error={run.error}
            acts={<Button onPress={() => void run.refetch()}>Try again</Button>}
          />
        </div>
      )}
      {id && !missing && !run.error && !live && <Loading what="the run" />}
      {id && !missing && live && narrow && (
        <div className="ask-column">
          {side}
          <div className="column-graph">{drawing}</div>
          {timeline}
          {steps}
        </div>
      )}
      {id && !missing && live && !narrow && (
        <>
          <Group
            id="clew-ask"
            className="ask-panels"
            orientation="horizontal"
            {...(panels.defaultLayout && { defaultLayout: panels.defaultLayout })}
            onLayoutChanged={panels.onLayoutChanged}
          >
            <Panel id="graph" minSize={320}>
              {drawing}
            </Panel>
            <Separator className="splitter" />
            <Panel id="side" defaultSize="40%" minSize={300}>
              <div className="side">
                {side}
                {steps}
              </div>
            </Panel>
          </Group>
          {timeline}
        </>
      )}
    </div>
  );
}
