// The run as a line of steps, to scrub and to replay.
import { useEffect, useState, type ReactNode } from "react";
import { Button, IconButton } from "@/components/kit/controls";
import { useSettings } from "@/store/settings";
import { stepSentence, type Step } from "@/view/steps";

const PACE_MS = 700;
const SPEEDS = [1, 2, 4];

interface Props {
  steps: readonly Step[];
  step: number | null;
  live: boolean;
  onStep: (seq: number | null) => void;
  /** What else belongs to the run as a whole. */
  children?: ReactNode;
}

export function Timeline({ steps, step, live, onStep, children }: Props) {
  const [playing, setPlaying] = useState(false);
  const { speed, set } = useSettings();
  const end = steps.length - 1;
  const found = step === null ? -1 : steps.findLastIndex((one) => one.seq <= step);
  const index = found < 0 ? end : found;
  const at = steps[index];

  const goTo = (next: number) => {
    const clamped = Math.max(0, Math.min(end, next));
    onStep(clamped >= end ? null : (steps[clamped]?.seq ?? null));
  };

  useEffect(() => {
    if (!playing) return undefined;
    const timer = setTimeout(() => {
      const next = index + 1;
      if (next >= end) setPlaying(false);
      onStep(next >= end ? null : (steps[next]?.seq ?? null));
    }, PACE_MS / speed);
    return () => {
      clearTimeout(timer);
    };
  }, [playing, index, end, speed, steps, onStep]);

  if (!at) return null;
  return (
    <section className="timeline" aria-label="Timeline">
      <div className="row timeline-keys">
        <IconButton
          icon="back"
          label="Step back"
          isDisabled={index <= 0}
          onPress={() => {
            setPlaying(false);
            goTo(index - 1);
          }}
        />
        <IconButton
          icon={playing ? "pause" : "play"}
          label={playing ? "Pause" : "Replay"}
          isDisabled={end < 1}
          onPress={() => {
            if (!playing && index >= end) goTo(0);
            setPlaying(!playing);
          }}
        />
        <IconButton
          icon="forward"
          label="Step forward"
          isDisabled={index >= end}
          onPress={() => {
            setPlaying(false);
            goTo(index + 1);
          }}
        />
      </div>
      <div className="track">
        <div className="ticks" aria-hidden="true">
          {steps.map((one, i) => (
            <span
              key={one.seq}
              className={`tick-mark ${one.type.startsWith("path") || one.type === "answer.delta" ? "minor" : ""} ${i <= index ? "done" : ""} ${one.undone ? "undone" : ""}`}
              style={{ left: `${end ? (i / end) * 100 : 0}%` }}
            />
          ))}
        </div>
        <input
          type="range"
          aria-label="Step of the run"
          min={0}
          max={end}
          step={1}
          value={index}
          aria-valuetext={stepSentence(at)}
          onChange={(event) => {
            setPlaying(false);
            goTo(event.target.valueAsNumber);
          }}
        />
      </div>
      <p className="timeline-say elide">
        <span className="tabular">
          {index + 1}/{steps.length}
        </span>{" "}
        <strong>{at.title}</strong> <span className="muted">{at.detail}</span>
      </p>
      {step === null && live ? (
        <span className="badge accent">live</span>
      ) : (
        <Button
          look="plain"
          size="small"
          className="tabular"
          aria-label={`Replay ${speed}x; press to change the speed`}
          onPress={() => set({ speed: SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1 })}
        >
          replay {speed}x
        </Button>
      )}
      {children}
    </section>
  );
}
