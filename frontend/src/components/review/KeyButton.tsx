// A button that shows its key. The mouse does not take the focus to it, so that the keys stay the page's.
import type { ReactNode } from "react";
import { showKey, useKeymap, type ActName } from "@/store/reviewKeys";

interface Props {
  act: ActName;
  look?: "primary" | "plain" | "danger" | undefined;
  small?: boolean;
  pressed?: boolean;
  disabled?: boolean;
  title?: string;
  label?: string;
  onPress: () => void;
  children: ReactNode;
}

export function KeyButton({ act, look, small, pressed, disabled, title, label, onPress, children }: Props) {
  const keymap = useKeymap();
  return (
    <button
      type="button"
      className={["btn", look, small && "small"].filter(Boolean).join(" ")}
      {...(pressed !== undefined && { "aria-pressed": pressed })}
      {...(label && { "aria-label": label })}
      aria-keyshortcuts={keymap[act].replace("Ctrl", "Control")}
      disabled={disabled}
      title={title}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {children} <Key act={act} />
    </button>
  );
}

/** The key of an act, as it is now. */
export function Key({ act }: { act: ActName }) {
  const keymap = useKeymap();
  return <kbd aria-hidden="true">{showKey(keymap[act])}</kbd>;
}
