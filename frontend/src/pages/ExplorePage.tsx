// Explore: begin with an entity of a graph, follow its facts, and ask about what was found. All is in the address.
import { Unseen } from "@/components/kit/Unseen";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { ApiError } from "@/api/client";
import { graphQuery } from "@/api/queries";
import type { Graph } from "@/api/types";
import { SideBySide } from "@/components/ask/AskLayout";
import { ExploreDrawing } from "@/components/explore/ExploreDrawing";
import { ExploreSide } from "@/components/explore/ExploreSide";
import { useExploring } from "@/components/explore/useExploring";
import { Button } from "@/components/kit/controls";
import { EmptyState, ErrorNotice, Notice } from "@/components/kit/feedback";
import { useMedia, useTitle } from "@/components/kit/hooks";
import { without } from "@/view/exploring";
import { count } from "@/view/format";
import { toast } from "@/store/toasts";

/** As many as a question may be about. */
const TOPICS_MAX = 20;
const NARROW = "(max-width: 820px)";

function Exploration({ graph }: { graph: Graph }) {
  const navigate = useNavigate();
  const narrow = useMedia(NARROW);
  const search = useRef<HTMLInputElement>(null);
  const state = useExploring(graph);
  const { picture, data, exploring } = state;
  const asks = (ids: readonly number[]) => {
    const topics = ids.filter((id) => data?.nodes.some((one) => one.id === id && one.kind === "entity"));
    if (topics.length) void navigate(`/?graph=${graph.id}&topics=${topics.slice(0, TOPICS_MAX).join(".")}`);
    else toast("Values cannot be asked about. Select an entity.");
  };
  const missing = data?.missing ?? [];
  const side = <ExploreSide graph={graph} state={state} search={search} onAsk={asks} />;
  const drawing = <ExploreDrawing graph={graph} state={state} search={search} onAsk={asks} />;
  return (
    <div className="explore">
      <div className="explore-head">
        <h1>
          Explore <bdi>{graph.name}</bdi>
        </h1>
        <span className="grow" />
        {state.shown.length > 0 && (
          <Button size="small" look="plain" onPress={() => state.show(without(exploring, state.shown), null)}>
            Start again
          </Button>
        )}
        <Link className="btn small" to={`/graphs/${graph.id}`}>
          About this graph
        </Link>
      </div>
      {(picture.error !== null ||
        !state.isCurrent ||
        missing.length > 0 ||
        (data && data.total > data.hops.length)) && (
        <div className="explore-notes">
          {state.shown.length > 0 && picture.error && (
            <ErrorNotice
              error={picture.error}
              acts={
                picture.error instanceof ApiError && picture.error.code === "version_gone" ? (
                  <Link className="btn" to={`/graphs/${graph.id}/explore`}>
                    Explore the current version
                  </Link>
                ) : (
                  <Button onPress={() => void picture.refetch()}>Try again</Button>
                )
              }
            />
          )}
          {!state.isCurrent && !picture.error && (
            <Notice
              title="This is an earlier version of the graph."
              acts={
                <Link className="btn" to={`/graphs/${graph.id}/explore`}>
                  Explore the current version
                </Link>
              }
            >
              It is shown as it was. Questions are asked of the current version.
            </Notice>
          )}
          {missing.length > 0 && (
            <Notice
              tone="warn"
              title={`${count(missing.length, "entity is", "entities are")} not shown.`}
              acts={<Button onPress={() => state.show(without(exploring, missing))}>Leave them out</Button>}
            >
              {graph.endpoint
                ? "They have no address in the endpoint, or it gives no fact that leads to them now."
                : "The graph does not have them."}
            </Notice>
          )}
          {data && data.total > data.hops.length && (
            <Notice title={`Only the first ${count(data.hops.length, "fact")} are drawn.`}>
              There are more among these entities. Hide some to see the rest.
            </Notice>
          )}
        </div>
      )}
      {narrow ? (
        <>
          {state.shown.length > 0 && <div className="explore-drawing">{drawing}</div>}
          {side}
        </>
      ) : (
        <SideBySide id="clew-explore" drawing={drawing} side={side} share="30%" least={300} />
      )}
    </div>
  );
}

export function ExplorePage() {
  const { id = "" } = useParams();
  const graph = useQuery(graphQuery(id));
  useTitle(graph.data ? `Explore ${graph.data.name}` : "Explore");
  const { data } = graph;
  if (graph.error || !data) {
    return (
      <Unseen of={graph} what="graph" instead={["All graphs", "/graphs"]}>
        It may have been deleted, or you may not see it.
      </Unseen>
    );
  }
  if (data.state !== "ready" || (!data.endpoint && data.triples === 0)) {
    return (
      <EmptyState
        title={
          data.state === "importing"
            ? "This graph is still being imported"
            : "There is nothing to explore here"
        }
        act={
          <Link className="btn primary" to={`/graphs/${data.id}`}>
            About this graph
          </Link>
        }
      >
        {data.state === "importing"
          ? "Exploring opens when that is done."
          : data.state === "failed"
            ? "Its import failed; its page says why."
            : "It has passages and no facts yet. Facts can be extracted from them."}
      </EmptyState>
    );
  }
  return <Exploration key={data.id} graph={data} />;
}
