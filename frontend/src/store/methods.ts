// Methods as a person chooses among them for one graph: which are trained there, and with what.
import type { Checkpoint, Id, MethodInfo } from "@/api/types";

export interface MethodChoice {
  id: string;
  label: string;
  description: string;
  available: boolean;
  /** Checkpoints of this method for the graph as it is, newest first; empty means it is asked zero-shot. */
  checkpoints: readonly Checkpoint[];
}

/** Trained ones first, as the server lists them otherwise. */
export function methodChoices(
  methods: readonly MethodInfo[],
  checkpoints: readonly Checkpoint[],
): MethodChoice[] {
  const choices = methods.map(({ id, label, description, available }) => ({
    id,
    label,
    description,
    available,
    checkpoints: checkpoints
      .filter((one) => one.method === id && one.current)
      .sort((a, b) => b.created_at.localeCompare(a.created_at)),
  }));
  const rank = (choice: MethodChoice) => (choice.available ? (choice.checkpoints.length ? 0 : 1) : 2);
  return choices.sort((a, b) => rank(a) - rank(b));
}

/** The method that will be asked: what the person chose, else what the graph was last trained with. */
export function chosenMethod(
  choices: readonly MethodChoice[],
  wanted: string | null,
  ofGraph: string | undefined,
): MethodChoice | undefined {
  const usable = choices.filter((choice) => choice.available);
  return (
    usable.find((choice) => choice.id === wanted) ??
    usable.find((choice) => choice.id === ofGraph) ??
    usable[0]
  );
}

/** The checkpoint that will be used: what the person chose if it is the method's, else the newest. */
export function chosenCheckpoint(choice: MethodChoice | undefined, wanted: Id | null): Checkpoint | null {
  const list = choice?.checkpoints ?? [];
  return list.find((one) => String(one.id) === String(wanted)) ?? list[0] ?? null;
}

/** "2 checkpoints", "trained", "zero-shot": what the list of methods says at the end of a line. */
export function standing(choice: MethodChoice): string {
  if (!choice.available) return "not available";
  const { length } = choice.checkpoints;
  if (length === 0) return "zero-shot";
  return length === 1 ? "trained" : `${length} checkpoints`;
}

/** One that can take part in a comparison: a method with one of its checkpoints, or zero-shot. */
export interface Contender {
  key: string;
  choice: MethodChoice;
  checkpoint: Checkpoint | null;
}

/** Every checkpoint of every method that can be asked, and the methods without one. */
export function contenders(choices: readonly MethodChoice[]): Contender[] {
  return choices
    .filter((choice) => choice.available)
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

/** What a comparison starts with: the newest checkpoint of each trained method, then older ones, up to `most`. */
export function firstPick(all: readonly Contender[], most: number): string[] {
  const newest = (one: Contender) => one.checkpoint !== null && one.checkpoint === one.choice.checkpoints[0];
  const trained = all.filter((one) => one.checkpoint !== null);
  const best = trained.filter(newest);
  const pick = best.length > 1 ? best : trained.slice(0, 2);
  return pick.length > 1 ? pick.slice(0, most).map((one) => one.key) : [];
}
