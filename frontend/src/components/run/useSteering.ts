// What a person may do with a run that goes step by step, and doing it.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AgentAction } from "@/api/events";
import { keys, pauseRun, sessionQuery, statusQuery, steerRun } from "@/api/queries";
import type { Run, SteerBody } from "@/api/types";
import { troubleOf } from "@/components/kit/feedback";
import { useRunStore } from "@/store/runStore";
import { isOver, type RunView } from "@/view/runView";
import { toast } from "@/store/toasts";

export interface Steering {
  /** It is being worked on, it waits for a person, or it has ended and may be taken up. */
  phase: "going" | "paused" | "over";
  /** A pause was asked for and has not come yet. */
  pausing: boolean;
  busy: boolean;
  /** It rests after each step. */
  stepwise: boolean;
  setStepwise: (on: boolean) => void;
  pause: () => void;
  goOn: () => void;
  /** Take back all steps behind the first `keep`, and rest there. */
  back: (keep: number) => void;
  /** Keep the first `keep` steps, do this, and go on from there. */
  choose: (keep: number, action: AgentAction) => void;
}

const goesOn = (run: Run) => run.state === "queued" || run.state === "running";

function phaseOf(run: Run, view: RunView): Steering["phase"] {
  // The server's word that it goes on again is there before the first event of that.
  if (goesOn(run)) return "going";
  if (view.phase === "paused") return "paused";
  return isOver(view.phase) ? "over" : "going";
}

/** How `run` can be steered; null when it cannot, or not by this person. */
export function useSteering(run: Run | undefined, view: RunView | undefined): Steering | null {
  const client = useQueryClient();
  const user = useQuery(sessionQuery).data?.user;
  const methods = useQuery(statusQuery).data?.methods;
  const [wanted, setWanted] = useState<{ run: string; stepwise: boolean } | null>(null);
  const [pausing, setPausing] = useState<string | null>(null);
  const id = run?.id ?? "";
  const seqOf = () => useRunStore.getState().logs[id]?.view.seq ?? 0;
  // A quick worker's events may be here before the answer to the call, which then is no news any more.
  const put = (now: Run, seq: number) => {
    if (seqOf() === seq) client.setQueryData([...keys.runs, now.id], now);
    else void client.invalidateQueries({ queryKey: [...keys.runs, id] });
  };
  const fail = (error: unknown) => {
    const { message, hint } = troubleOf(error);
    toast(`${message} ${hint}`.trim());
    void client.invalidateQueries({ queryKey: [...keys.runs, id] });
  };
  const steer = useMutation({
    mutationFn: ({ body }: { body: SteerBody; seq: number }) => steerRun(id, body),
    onSuccess: (now, { seq }) => put(now, seq),
    onError: fail,
  });
  const pause = useMutation({ mutationFn: () => pauseRun(id), onError: fail });
  if (!run || !view) return null;
  const method = methods?.find((one) => one.id === run.method);
  const mine = user?.username === run.user || user?.role === "admin";
  if (!method?.steerable || !mine) return null;
  const phase = phaseOf(run, view);
  const steps = view.agent.length;
  const stepwise = wanted?.run === id ? wanted.stepwise : (run.pause_after ?? null) !== null;
  const send = (body: SteerBody) => {
    setPausing(null);
    if (!steer.isPending) steer.mutate({ body: { pause_after: stepwise ? 1 : null, ...body }, seq: seqOf() });
  };
  return {
    phase,
    pausing: phase === "going" && pausing === id,
    busy: steer.isPending || pause.isPending,
    stepwise,
    setStepwise: (on) => {
      setWanted({ run: id, stepwise: on });
    },
    pause: () => {
      setPausing(id);
      pause.mutate();
    },
    goOn: () => {
      send({ keep: steps });
    },
    back: (keep) => {
      send({ keep, pause_after: 0 });
    },
    choose: (keep, action) => {
      send({ keep, action });
    },
  };
}
