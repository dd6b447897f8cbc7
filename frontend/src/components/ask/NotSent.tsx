// A question that did not reach the server: what became of it, and the one way to send it.
import { useQuery } from "@tanstack/react-query";
import { statusQuery } from "@/api/queries";
import { Button } from "@/components/kit/controls";
import { Notice, troubleOf } from "@/components/kit/feedback";

interface Props {
  error: unknown;
  /** When it was tried, in ms since 1970. */
  at: number;
  onAsk: () => void;
}

export function NotSent({ error, at, onAsk }: Props) {
  const { data, dataUpdatedAt, error: away } = useQuery(statusQuery);
  const back = data !== undefined && !away && dataUpdatedAt > at;
  return (
    <Notice
      tone={back ? "warn" : "bad"}
      urgent
      title={
        back ? "The server is back. Your question was not asked" : `Not asked. ${troubleOf(error).message}`
      }
      acts={
        <Button size="small" icon="retry" onPress={onAsk}>
          Ask now
        </Button>
      }
    >
      {back ? "It is still in the box." : "Your question is kept, also over a reload."} It is sent when you
      press Ask, and not before.
    </Notice>
  );
}
