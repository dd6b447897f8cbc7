// The bar under a program that was changed: how many changes there are, taking them back, and running it.
import { Button } from "@/components/kit/controls";
import { count } from "@/view/format";
import type { ProgramNode } from "@/view/program";
import type { ProgramEdit } from "./useProgramEdit";

interface Props {
  edit: ProgramEdit;
  /** What the button says. */
  act: string;
  isBusy?: boolean;
  onRun: (program: ProgramNode) => void;
}

export function ProgramChanges({ edit, act, isBusy = false, onRun }: Props) {
  const changes = edit.changes.length;
  if (changes === 0 && !edit.wrong) return null;
  return (
    <div className="program-run" role="group" aria-label="Changes">
      <span className="grow small" role="status">
        {edit.wrong
          ? "Correct what is marked before you run it."
          : `${count(changes, "change")}, not run yet`}
      </span>
      <Button size="small" icon="undo" onPress={edit.undo}>
        Undo
      </Button>
      <Button
        size="small"
        look="primary"
        icon="play"
        isDisabled={edit.wrong || changes === 0 || isBusy}
        onPress={() => onRun(edit.edited())}
      >
        {act}
      </Button>
    </div>
  );
}
