// The keys of the review page: each can be another one, as long as no two acts want the same.
import { useState } from "react";
import { Button, Modal, type DialogProps } from "@/components/kit/controls";
import {
  ACTS,
  ACT_NAMES,
  DEFAULT_KEYS,
  keyOf,
  showKey,
  useKeyStore,
  useKeymap,
  type ActName,
} from "@/store/reviewKeys";
import { pressedKey } from "@/view/keys";

function KeyRow({
  act,
  taking,
  onTake,
  onKey,
}: {
  act: ActName;
  taking: boolean;
  onTake: () => void;
  onKey: (key: string | null) => void;
}) {
  const keymap = useKeymap();
  return (
    <tr>
      <td>{ACTS[act].label}</td>
      <td>
        <button
          type="button"
          className={`btn small key-take ${taking ? "primary" : ""}`}
          aria-label={
            taking
              ? `Press the new key for: ${ACTS[act].label}`
              : `${ACTS[act].label}: ${showKey(keymap[act])}. Change`
          }
          onClick={onTake}
          onBlur={() => {
            if (taking) onKey(null);
          }}
          onKeyDown={(event) => {
            if (!taking || pressedKey(event) === "Tab") return;
            const key = pressedKey(event) === "Escape" ? null : keyOf(event);
            event.preventDefault();
            event.stopPropagation();
            if (pressedKey(event) === "Escape" || key !== null) onKey(key);
          }}
        >
          {taking ? "Press a key…" : <kbd>{showKey(keymap[act])}</kbd>}
        </button>
        {keymap[act] !== DEFAULT_KEYS[act] && (
          <span className="small muted"> was {showKey(DEFAULT_KEYS[act])}</span>
        )}
      </td>
    </tr>
  );
}

function Body({ onClose }: { onClose: () => void }) {
  const { assign, reset, own } = useKeyStore();
  const [taking, setTaking] = useState<ActName | null>(null);
  const [against, setAgainst] = useState("");
  return (
    <>
      <p className="muted">
        Press a key’s button, then the new key. They are kept in this browser. The arrows ↑ and ↓ always move
        between paths.
      </p>
      <p role="status" className="bad-text">
        {against}
      </p>
      <div className="scroll-x">
        <table className="table dense">
          <thead>
            <tr>
              <th>What it does</th>
              <th>Key</th>
            </tr>
          </thead>
          <tbody>
            {ACT_NAMES.map((act) => (
              <KeyRow
                key={act}
                act={act}
                taking={taking === act}
                onTake={() => {
                  setAgainst("");
                  setTaking(act);
                }}
                onKey={(key) => {
                  setAgainst(key === null ? "" : (assign(act, key) ?? ""));
                  setTaking(null);
                }}
              />
            ))}
          </tbody>
        </table>
      </div>
      <div className="foot">
        <Button
          isDisabled={Object.keys(own).length === 0}
          onPress={() => {
            setAgainst("");
            reset();
          }}
        >
          Back to the defaults
        </Button>
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}

export function KeysDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal title="Keys of the review page" isOpen={isOpen} onClose={onClose}>
      <Body onClose={onClose} />
    </Modal>
  );
}
