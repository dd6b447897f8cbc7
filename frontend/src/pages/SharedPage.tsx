// What a shared link shows to anybody who has it: on a page, or within a page of another site.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { ApiError } from "@/api/client";
import { sharedContentQuery, sharedUrl } from "@/api/shared";
import { Button } from "@/components/kit/controls";
import { EmptyState, Loading, troubleOf } from "@/components/kit/feedback";
import { useTitle } from "@/components/kit/hooks";
import { SharedAnswer } from "@/components/shared/SharedAnswer";
import { Toasts } from "@/components/shell/Toasts";
import { elide, exactTime } from "@/view/format";
import "@/components/shared/shared.css";

/** It may be there when it is asked for again. */
const mayCome = (error: Error) => !(error instanceof ApiError) || ![404, 410].includes(error.status);

function Shared({ isEmbedded = false }: { isEmbedded?: boolean }) {
  const { token = "" } = useParams();
  const content = useQuery(sharedContentQuery(token));
  const { data, error } = content;
  const turns = data?.turns ?? [];
  useTitle(elide(turns.at(-1)?.question ?? "Shared answer", 60));
  if (error) {
    const { message, hint } = troubleOf(error);
    return (
      <main className="alone">
        <EmptyState
          page
          title={message}
          act={mayCome(error) && <Button onPress={() => void content.refetch()}>Try again</Button>}
        >
          {hint}
        </EmptyState>
      </main>
    );
  }
  if (!data) return <Loading what="the answer" />;
  return (
    <main className={isEmbedded ? "shared embedded" : "shared"}>
      {turns.length > 1 && <h1 className="sr-only">{`Conversation of ${turns.length} questions`}</h1>}
      {turns.map((turn, at) => (
        <SharedAnswer key={at} turn={turn} alone={turns.length === 1} />
      ))}
      <footer className="shared-foot small muted">
        <span>
          Answered by{" "}
          {isEmbedded ? (
            <a href={sharedUrl(token)} target="_blank" rel="noopener noreferrer">
              Clew
            </a>
          ) : (
            "Clew"
          )}{" "}
          from the facts of a graph
        </span>
        {data.expires_at && !isEmbedded && <span>This link works until {exactTime(data.expires_at)}</span>}
      </footer>
      <Toasts />
    </main>
  );
}

export const SharedPage = () => <Shared />;

export const EmbedPage = () => <Shared isEmbedded />;
