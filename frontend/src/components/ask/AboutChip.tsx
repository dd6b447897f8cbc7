// What a follow-up leans on: the question before. Taken off, the question stands alone.
import { Icon } from "@/components/kit/Icon";

export function AboutChip({ about, onRemove }: { about: string; onRemove: () => void }) {
  return (
    <span
      className="chip ghost"
      title={`“it”, “them” and the like mean ${about}. Remove it to start afresh.`}
    >
      <span className="elide">
        about: <bdi>{about}</bdi>
      </span>
      <button type="button" aria-label={`Ask without ${about}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}
