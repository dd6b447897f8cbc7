// The schema of a graph on its own page: how many relations and kinds there are, and where they are described.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { vocabularyQuery } from "@/api/vocabulary";
import type { Graph } from "@/api/types";
import { Card } from "@/components/kit/Card";
import { count } from "@/view/format";

export function SchemaCard({ graph }: { graph: Graph }) {
  const vocabulary = useQuery({
    ...vocabularyQuery(graph.id, graph.snapshot?.hash ?? ""),
    enabled: !graph.endpoint, // an endpoint is asked for a sample only where somebody wants to see it
  });
  const terms = vocabulary.data?.terms ?? [];
  const kinds = terms.filter(({ category }) => category === "kind").length;
  return (
    <Card
      title="Schema"
      id="schema"
      acts={
        <Link className="btn small" to={`/graphs/${graph.id}/schema`}>
          Open the schema
        </Link>
      }
    >
      <p className="body muted">
        {graph.endpoint
          ? "Kinds and relations of the endpoint"
          : `${count(kinds, "kind")} and ${count(terms.length - kinds, "relation")}`}
        , with descriptions and synonyms that questions may use.
      </p>
    </Card>
  );
}
