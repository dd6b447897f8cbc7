// Question, graph, method, settings, and the one button that asks or stops.
import { useState, type Ref } from "react";
import { DialogTrigger, Popover } from "react-aria-components";
import type { Checkpoint, EntityMatch, Graph, Status } from "@/api/types";
import { CheckpointBadge, CheckpointPick } from "@/components/kit/CheckpointPick";
import { Button, Pick } from "@/components/kit/controls";
import { Spinner } from "@/components/kit/feedback";
import { count, integer } from "@/view/format";
import { automaticDetail, methodMenu, readiness, type MethodChoice } from "@/view/methods";
import { pinOf, pinsAfter, withPin } from "@/view/pins";
import type { RunView } from "@/view/runView";
import { AskSettings } from "./AskSettings";
import { EntityPicker } from "./EntityPicker";
import { AboutChip } from "./AboutChip";
import { AlsoGraphs } from "./AlsoGraphs";
import { LinkedChips } from "./LinkedChips";
import { QuestionBox } from "./QuestionBox";
import { obstacle, type Draft } from "./draft";
import type { Chosen } from "@/view/settingsForm";

interface Props {
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
  graphs: readonly Graph[];
  /** The list of graphs is how they are now. */
  settled: boolean;
  status: Status | undefined;
  choices: readonly MethodChoice[];
  /** What will be asked, whether chosen or by default. */
  method: MethodChoice | undefined;
  checkpoint: Checkpoint | null;
  view: RunView | null;
  /** What the question before was about, where this one may lean on it. */
  about: string | null;
  running: boolean;
  stopping: boolean;
  asking: boolean;
  onAsk: () => void;
  onStop: () => void;
  onCompare: () => void;
  box: Ref<{ focus: () => void }>;
  /** The settings of the method that differ from its defaults, and what is wrong with one. */
  settings: Chosen;
}

/** Which checkpoint is asked: a choice when there are several; "untrained" when there is none and there could be. */
function CheckpointState({
  method,
  checkpoint,
  onDraft,
}: {
  method: MethodChoice;
  checkpoint: Checkpoint | null;
  onDraft: Props["onDraft"];
}) {
  if (!checkpoint && !method.trained) {
    return (
      <span className="askbar-checkpoint">
        <span className="badge" title={method.description}>
          needs no training
        </span>
      </span>
    );
  }
  if (!checkpoint) {
    return (
      <span className="askbar-checkpoint">
        <span
          className="badge warn"
          title={`${method.label} has no checkpoint for this graph: programs and relation paths are read as on any graph`}
        >
          untrained: answers may be rough
        </span>
      </span>
    );
  }
  return (
    <span className="askbar-checkpoint">
      {method.checkpoints.length > 1 && <span className="small muted">checkpoint</span>}
      <CheckpointPick
        checkpoints={method.checkpoints}
        value={checkpoint}
        onChange={(id) => onDraft({ checkpoint: id })}
      />
      {method.checkpoints.length > 1 && <CheckpointBadge checkpoint={checkpoint} />}
    </span>
  );
}

function graphDetail(graph: Graph): string {
  if (graph.state === "importing") return "importing";
  if (graph.state === "failed") return "import failed";
  if (graph.endpoint) return graph.endpoint.error ? "SPARQL endpoint, not answering" : "SPARQL endpoint";
  const version = graph.snapshot ? `version ${graph.snapshot.version} · ` : "";
  return `${version}${integer(graph.triples)} facts${graph.index_state === "building" ? " · indexing" : ""}`;
}

export function AskBar(props: Props) {
  const { draft, onDraft, graphs, settled, status, choices, method, checkpoint } = props;
  const { view, running, stopping, asking, onAsk, onStop, onCompare, box } = props;
  const [tried, setTried] = useState(false);
  const graph = graphs.find((one) => String(one.id) === draft.graph);
  const menu = methodMenu(choices, method, graph);
  const why = obstacle(draft, graph, status, settled) ?? props.settings.wrong;
  const set = Object.keys(props.settings.changed).length;
  const ask = () => {
    setTried(true);
    if (!why && !asking) onAsk();
  };
  const pin = (match: EntityMatch, question: string) => {
    const pins = pinsAfter(draft.given, draft.question, question);
    onDraft({ question, given: withPin(pins, pinOf(match, question)) });
  };
  return (
    <section className="askbar" aria-label="Ask">
      <div className="askbar-main">
        <Pick
          label="Graph"
          className="askbar-graph"
          placeholder="Pick a graph"
          whenEmpty={settled ? "There is no graph yet." : "Loading the graphs…"}
          options={graphs.map((one) => ({
            id: String(one.id),
            label: one.name,
            detail: graphDetail(one),
            disabled: one.state !== "ready",
          }))}
          value={graph ? draft.graph : null}
          onChange={(id) =>
            onDraft({
              ...{ graph: id, given: null, checkpoint: null },
              ...(draft.others.includes(id) && { others: draft.others.filter((one) => one !== id) }),
            })
          }
        />
        <QuestionBox
          ref={box}
          graph={draft.graph}
          remote={Boolean(graph?.endpoint)}
          value={draft.question}
          max={status?.question_max}
          onChange={(question) => {
            setTried(false);
            onDraft({ question });
          }}
          onPick={pin}
          onSubmit={ask}
        />
        <Pick
          label="Method"
          className="askbar-method"
          options={[
            ...(menu.automatic
              ? [{ id: menu.automatic.id, label: "Automatic", detail: automaticDetail(menu.automatic) }]
              : []),
            ...menu.short.map((choice) => ({
              id: choice.id,
              label: choice.label,
              detail: choice.description,
              end: readiness(choice),
            })),
          ]}
          whenEmpty={status ? "No method can ask this graph." : "Loading the methods…"}
          value={method?.id}
          onChange={(id) => onDraft({ method: id, checkpoint: null, options: {} })}
        />
        <DialogTrigger>
          <Button icon="gear" label="Budget, seed, reasoner and settings of the method" />
          <Popover className="popover" placement="bottom end">
            <AskSettings
              draft={draft}
              onDraft={onDraft}
              status={status}
              method={method}
              checkpoint={checkpoint}
              folded={menu.folded}
              remote={Boolean(graph?.endpoint)}
            />
          </Popover>
        </DialogTrigger>
        <Button
          className="askbar-compare"
          icon="compare"
          label="Compare methods on this question"
          isDisabled={!graph}
          onPress={onCompare}
        />
        {running ? (
          <Button className="askbar-go stop" look="danger" icon="stop" onPress={onStop} isDisabled={stopping}>
            {stopping ? "Stopping" : "Stop"}
          </Button>
        ) : (
          <Button className="askbar-go" look="primary" onPress={ask} isDisabled={asking}>
            {asking ? <Spinner label="Asking" /> : "Ask"}
          </Button>
        )}
      </div>
      <div className="askbar-sub">
        {props.about !== null && <AboutChip about={props.about} onRemove={() => onDraft({ alone: true })} />}
        <LinkedChips
          question={draft.question}
          pins={draft.given ?? []}
          asked={view?.started?.question}
          linked={view?.linked ?? []}
          unmatched={view?.unmatched ?? []}
          onChange={(given) => onDraft({ given })}
        />
        <EntityPicker
          graph={draft.graph}
          remote={Boolean(graph?.endpoint)}
          onPick={(match) => pin(match, draft.question)}
        />
        <AlsoGraphs
          graphs={graphs}
          first={draft.graph}
          others={draft.others}
          onChange={(others) => onDraft({ others })}
        />
        {draft.others.length > 0 && (draft.given?.length ?? 0) > 0 && (
          <span className="small muted">Pins belong to one graph; each graph finds the names by itself.</span>
        )}
        {tried && why && (
          <span className="askbar-why" role="alert">
            {why}
          </span>
        )}
        {method && graph?.endpoint && (
          <span className="askbar-checkpoint">
            <span
              className="badge"
              title="The endpoint computes programs; relation paths follow facts near the topics, pulled for each question"
            >
              untrained, asked at the endpoint
            </span>
          </span>
        )}
        {method?.steerable && (
          <label
            className="check askbar-stepwise"
            title="Pause after each step, so that you can choose the next one"
          >
            <input
              type="checkbox"
              checked={draft.stepByStep}
              onChange={(event) => onDraft({ stepByStep: event.target.checked })}
            />
            step by step
          </label>
        )}
        {method && !graph?.endpoint && (
          <CheckpointState method={method} checkpoint={checkpoint} onDraft={onDraft} />
        )}
        <span className="askbar-set small muted tabular">
          budget {draft.budget ?? status?.budgets.default ?? 50} · seed {draft.seed}
          {set > 0 && ` · ${count(set, "setting")} changed`}
          {draft.reasoner === "llm" && " · language model"}
          {draft.reasoner === "llm-program" && " · program by a language model"}
        </span>
      </div>
    </section>
  );
}
