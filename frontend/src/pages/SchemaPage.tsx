// The schema of a graph: its relations and kinds, searched, described and given synonyms.
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Link, useParams } from "react-router";
import { graphQuery } from "@/api/queries";
import { useManagesGraph } from "@/api/rights";
import type { Graph } from "@/api/types";
import {
  exportVocabulary,
  importVocabulary,
  vocabularyKey,
  vocabularyQuery,
  type Vocabulary,
} from "@/api/vocabulary";
import { Button } from "@/components/kit/controls";
import { EmptyState, QueryState } from "@/components/kit/feedback";
import { fileName, saveFile } from "@/components/kit/files";
import { Page } from "@/components/kit/Page";
import { Find } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { TermRow } from "@/components/schema/TermRow";
import { toast } from "@/store/toasts";
import { count } from "@/view/format";
import { filterTerms, termKey, type Shown } from "@/view/vocabulary";
import "@/components/schema/schema.css";

const CATEGORIES: readonly [Shown, string][] = [
  ["all", "All"],
  ["kind", "Kinds"],
  ["relation", "Relations"],
];

function Exchange({ graph, mayChange }: { graph: Graph; mayChange: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const take = useAct(
    async (file: File) =>
      importVocabulary(graph.id, JSON.parse(await file.text()) as Parameters<typeof importVocabulary>[1]),
    {
      changes: [vocabularyKey(graph.id)],
      failed: "The vocabulary could not be imported.",
      done: () => toast("The vocabulary was imported: questions use it now."),
    },
  );
  const save = () =>
    saveFile(
      fileName(`${graph.name} vocabulary`, "json"),
      exportVocabulary(graph.id).then((content) => JSON.stringify(content, null, 1)),
      "The vocabulary",
    );
  return (
    <>
      <Button look="plain" icon="download" onPress={() => void save()}>
        Download
      </Button>
      {mayChange && (
        <>
          <input
            ref={input}
            type="file"
            accept=".json,application/json"
            aria-label="Vocabulary file"
            hidden
            onChange={(event) => {
              const file = event.target.files?.[0];
              event.target.value = "";
              if (file) take.mutate(file);
            }}
          />
          <Button isDisabled={take.isPending} onPress={() => input.current?.click()}>
            Import
          </Button>
        </>
      )}
    </>
  );
}

function Terms({
  graph,
  vocabulary,
  mayChange,
}: {
  graph: Graph;
  vocabulary: Vocabulary;
  mayChange: boolean;
}) {
  const [shown, setShown] = useState<Shown>("all");
  const [text, setText] = useState("");
  const found = filterTerms(vocabulary.terms, shown, text);
  return (
    <>
      <div className="row wrap">
        <Find label="Find a kind, relation or synonym" value={text} onChange={setText} />
        <div className="row" role="group" aria-label="Show">
          {CATEGORIES.map(([category, label]) => (
            <button
              key={category}
              type="button"
              className="btn small"
              aria-pressed={shown === category}
              onClick={() => setShown(category)}
            >
              {label}
            </button>
          ))}
        </div>
        <span className="muted small" role="status">
          {count(found.length, "term")}
        </span>
      </div>
      {found.length === 0 && <p className="muted">No term matches “{text.trim()}”.</p>}
      <div className="terms">
        {found.map((term) => (
          <TermRow key={termKey(term)} graph={graph} term={term} mayChange={mayChange} />
        ))}
      </div>
    </>
  );
}

export function SchemaPage() {
  const { id = "" } = useParams();
  const graph = useQuery(graphQuery(id));
  const vocabulary = useQuery({
    ...vocabularyQuery(id, graph.data?.snapshot?.hash ?? ""),
    enabled: graph.data !== undefined,
  });
  const mayChange = useManagesGraph()(id);
  if (!graph.data || !vocabulary.data) {
    return <QueryState of={graph.data ? vocabulary : graph} what="the schema" retry />;
  }
  const isEmpty = vocabulary.data.terms.length === 0;
  return (
    <Page
      title={`Schema of ${graph.data.name}`}
      heading="Schema"
      within={[graph.data.name, `/graphs/${id}`]}
      acts={!isEmpty && <Exchange graph={graph.data} mayChange={mayChange} />}
    >
      <p className="muted">
        What the graph calls its kinds of things and the relations between them. A synonym is read as the name
        itself, from the next question on.
        {graph.data.endpoint &&
          " Listed is what a sample of the endpoint holds; numbers and examples are those of the sample."}
      </p>
      {isEmpty ? (
        <EmptyState
          title="Nothing to describe yet"
          act={
            <Link className="btn primary" to={`/graphs/${id}`}>
              Back to the graph
            </Link>
          }
        >
          This version has no facts. Upload facts, or take some from its passages.
        </EmptyState>
      ) : (
        <Terms graph={graph.data} vocabulary={vocabulary.data} mayChange={mayChange} />
      )}
    </Page>
  );
}
