// Several entities that are selected, and what can be done with all of them at once.
import { Button } from "@/components/kit/controls";
import { count, elide } from "@/view/format";

const NAMED = 8;

interface Props {
  names: readonly string[];
  /** All of them are pinned. */
  pinned: boolean;
  onPin: () => void;
  onHide: () => void;
  onPath: () => void;
  /** Not there where nothing can be asked. */
  onAsk?: (() => void) | undefined;
}

export function SelectionCard({ names, pinned, onPin, onHide, onPath, onAsk }: Props) {
  return (
    <>
      <h2>{count(names.length, "entity", "entities")} selected</h2>
      <p className="muted">
        {names
          .slice(0, NAMED)
          .map((name) => elide(name, 40))
          .join(" · ")}
        {names.length > NAMED && ` and ${names.length - NAMED} more`}
      </p>
      <p className="row wrap explore-acts">
        <Button size="small" icon="pin" onPress={onPin}>
          {pinned ? "Unpin" : "Pin"}
        </Button>
        {names.length === 2 && (
          <Button size="small" icon="link" onPress={onPath}>
            Path between them
          </Button>
        )}
        {onAsk && (
          <Button size="small" icon="ask" onPress={onAsk}>
            Ask about
          </Button>
        )}
        <Button size="small" icon="minus" onPress={onHide}>
          Hide
        </Button>
      </p>
    </>
  );
}
