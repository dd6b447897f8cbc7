// Methods as a person chooses among them for one graph: which are trained there, and with what.
import type { Checkpoint, Graph, Id, MethodDetail, MethodInfo, Setting } from "@/api/types";

export interface MethodChoice {
  id: string;
  label: string;
  description: string;
  available: boolean;
  /** It has to learn from questions; until then it is asked untrained. */
  trained: boolean;
  /** A language model is asked, whatever the reasoner. */
  asksModel: boolean;
  /** A language model may write its programs. */
  takesWrittenPrograms: boolean;
  /** It can be paused and sent another way between its steps. */
  steerable: boolean;
  /** Why this graph, or this installation, cannot serve it; null when it can. */
  missing: string | null;
  /**
   * Checkpoints for the graph as it is: the one in use, then its candidates, newest first. A method that learns and has
   * none is asked untrained.
   */
  checkpoints: readonly Checkpoint[];
}

/** What the choice is made for: how many facts and passages there are, and whether a language model is set up. */
export interface Ground {
  graph: Pick<Graph, "triples" | "passages" | "endpoint"> | undefined;
  llm: boolean;
}

/** What stands against asking a method there, in a few words. */
function lacking({ available, needs, on_endpoints }: MethodInfo, { graph, llm }: Ground): string | null {
  if (!available) return "not available";
  if (graph?.endpoint) return on_endpoints ? null : "needs an import";
  if (needs.includes("llm") && !llm) return "needs a language model";
  if (needs.includes("passages") && graph?.passages === 0) return "needs passages of text";
  if (needs.includes("facts") && graph?.triples === 0) return "needs facts";
  return null;
}

/** Trained ones first, as the server lists them otherwise. */
export function methodChoices(
  methods: readonly MethodInfo[],
  checkpoints: readonly Checkpoint[],
  ground: Ground,
): MethodChoice[] {
  const choices = methods.map((method) => ({
    id: method.id,
    label: method.label,
    description: method.description,
    available: method.available,
    trained: method.trained && !method.standalone,
    asksModel: method.needs.includes("llm"),
    takesWrittenPrograms: method.takes_written_programs,
    steerable: method.steerable,
    missing: lacking(method, ground),
    checkpoints: checkpoints
      .filter((one) => one.method === method.id && one.current)
      .sort((a, b) => Number(b.in_use) - Number(a.in_use) || b.created_at.localeCompare(a.created_at)),
  }));
  const rank = (choice: MethodChoice) => (choice.missing === null ? (choice.checkpoints.length ? 0 : 1) : 2);
  return choices.sort((a, b) => rank(a) - rank(b));
}

/** The method that will be asked: what the person chose, else what the graph was last trained with. */
export function chosenMethod(
  choices: readonly MethodChoice[],
  wanted: string | null,
  ofGraph: string | undefined,
): MethodChoice | undefined {
  const usable = choices.filter((choice) => choice.missing === null);
  return (
    usable.find((choice) => choice.id === wanted) ??
    usable.find((choice) => choice.id === ofGraph) ??
    usable[0]
  );
}

/** What a menu offers: the method that Clew takes by itself, others that are trained, its explorer, and what reads passages. */
export interface Menu {
  automatic: MethodChoice | undefined;
  short: readonly MethodChoice[];
  /** Research methods that are not trained: folded. */
  folded: readonly MethodChoice[];
}

const EXPLORER = "graph-s3";
const OF_PASSAGES: readonly string[] = ["text-rag", "inses"];

/** One that was chosen among the folded ones stands in the menu too. */
export function methodMenu(
  choices: readonly MethodChoice[],
  chosen: MethodChoice | undefined,
  graph: Pick<Graph, "passages" | "checkpoint"> | undefined,
): Menu {
  const usable = choices.filter((choice) => choice.missing === null);
  const automatic = chosenMethod(choices, null, graph?.checkpoint?.method);
  const offered = (choice: MethodChoice) =>
    choice.checkpoints.length > 0 ||
    choice.id === EXPLORER ||
    ((graph === undefined || graph.passages > 0) && OF_PASSAGES.includes(choice.id));
  const others = usable.filter((choice) => choice !== automatic);
  return {
    automatic,
    short: others.filter((choice) => offered(choice) || choice === chosen),
    folded: others.filter((choice) => !offered(choice)),
  };
}

/** "Relation paths, trained: F1 0.93 on its dev questions": what stands behind Automatic. */
export function automaticDetail(choice: MethodChoice): string {
  const [used] = choice.checkpoints;
  const measured = used?.metrics.macro_f1;
  if (!used) return `${choice.label}, ${choice.trained ? "untrained" : "needs no training"}`;
  return `${choice.label}, trained${measured === undefined ? "" : `: F1 ${measured.toFixed(2)} on its dev questions`}`;
}

/** The checkpoint that a person named, if it is one of the method's. Only such a one is sent: the server knows the rest. */
export function namedCheckpoint(choice: MethodChoice | undefined, wanted: Id | null): Checkpoint | null {
  return choice?.checkpoints.find((one) => String(one.id) === String(wanted)) ?? null;
}

/** The checkpoint that will be used: the one that was named, else the one in use. */
export function chosenCheckpoint(choice: MethodChoice | undefined, wanted: Id | null): Checkpoint | null {
  return namedCheckpoint(choice, wanted) ?? choice?.checkpoints.find((one) => one.in_use) ?? null;
}

/** The settings of asking a method that it has on a graph: without a checkpoint these are fewer. */
export function settingsFor(
  detail: MethodDetail | undefined,
  checkpoint: Checkpoint | null,
): readonly Setting[] {
  if (!detail) return [];
  return checkpoint
    ? detail.options
    : detail.options.filter((option) => detail.untrained_options.includes(option.name));
}

/** "2 checkpoints", "trained", "untrained", "needs no training": what the list of methods says at the end of a line. */
export function readiness(choice: MethodChoice): string {
  if (choice.missing !== null) return choice.missing;
  const { length } = choice.checkpoints;
  if (length === 0) return choice.trained ? "untrained" : "needs no training";
  return length === 1 ? "trained" : `${length} checkpoints`;
}

/** One that can take part in a comparison: a method with one of its checkpoints, or untrained. */
export interface Contender {
  key: string;
  choice: MethodChoice;
  checkpoint: Checkpoint | null;
}

/** Every checkpoint of every method that can be asked, and the methods without one. */
export function contenders(choices: readonly MethodChoice[]): Contender[] {
  return choices
    .filter((choice) => choice.missing === null)
    .flatMap((choice): Contender[] =>
      choice.checkpoints.length
        ? choice.checkpoints.map((checkpoint) => ({
            key: `${choice.id} ${checkpoint.id}`,
            choice,
            checkpoint,
          }))
        : [{ key: choice.id, choice, checkpoint: null }],
    );
}

/** What a comparison starts with: what each trained method uses; where there is one such method, its candidate too. */
export function firstPick(all: readonly Contender[], most: number): string[] {
  const trained = all.filter((one) => one.checkpoint !== null);
  const used = trained.filter((one) => one.checkpoint?.in_use);
  const pick = used.length > 1 ? used : trained.slice(0, 2);
  return pick.length > 1 ? pick.slice(0, most).map((one) => one.key) : [];
}
