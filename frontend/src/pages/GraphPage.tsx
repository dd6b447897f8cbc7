import { Unseen } from "@/components/kit/Unseen";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { graphQuery, sessionQuery, statusQuery } from "@/api/queries";
import type { Graph, Role } from "@/api/types";
import { EditsCard } from "@/components/edits/EditsCard";
import { Access } from "@/components/graphs/Access";
import { Browse } from "@/components/graphs/Browse";
import { DeleteGraph } from "@/components/graphs/DeleteGraph";
import { EndpointCard, NotImported } from "@/components/graphs/EndpointCard";
import { Extract } from "@/components/graphs/Extract";
import { Figures, Validation } from "@/components/graphs/Figures";
import { GraphState } from "@/components/graphs/GraphState";
import { IndexNotice } from "@/components/graphs/IndexNotice";
import { LabelSets } from "@/components/graphs/LabelSets";
import { LimitCard } from "@/components/graphs/LimitCard";
import { NameGraph } from "@/components/graphs/NameGraph";
import { GraphLanguages } from "@/components/graphs/NamesLanguage";
import { Passages } from "@/components/graphs/Passages";
import { ProblemsTable } from "@/components/graphs/ProblemsTable";
import { QuestionSets } from "@/components/graphs/QuestionSets";
import { SampleQuestions } from "@/components/graphs/SampleQuestions";
import { Sections, type Section } from "@/components/graphs/Sections";
import { SourceCard, SourceNotice } from "@/components/graphs/SourceCard";
import { Training } from "@/components/graphs/Training";
import { Versions } from "@/components/graphs/Versions";
import { Button } from "@/components/kit/controls";
import { useTitle } from "@/components/kit/hooks";
import { Ago, Notice } from "@/components/kit/feedback";
import { Card } from "@/components/kit/Card";
import { Page } from "@/components/kit/Page";
import { Together } from "@/components/kit/Together";
import { SchemaCard } from "@/components/schema/SchemaCard";
import { TestNotice, TestsCard } from "@/components/tests/TestsCard";
import { JobRow } from "@/components/shell/JobsTray";
import { integer } from "@/view/format";
import { isActive, useJobStore } from "@/store/jobStore";

function Counts({ graph }: { graph: Graph }) {
  const cells: [string, string][] = [
    ["entities", integer(graph.entities)],
    ["relations", integer(graph.relations)],
    ["facts", integer(graph.triples)],
    ...(graph.passages ? ([["passages", integer(graph.passages)]] as [string, string][]) : []),
    ...(graph.attributes ? ([["attributes", integer(graph.attributes)]] as [string, string][]) : []),
    ["bad rows", integer(graph.problems)],
  ];
  return (
    <dl className="counts">
      {cells.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
      {graph.snapshot && (
        <div>
          <dt>version {graph.snapshot.version}</dt>
          <dd className="mono" title={graph.snapshot.hash}>
            {graph.snapshot.hash.slice(0, 12)}
          </dd>
        </div>
      )}
    </dl>
  );
}

function Work({ graph }: { graph: Graph }) {
  const jobs = useJobStore((state) => state.jobs);
  const status = useQuery(statusQuery);
  const mine = jobs.filter((job) => String(job.graph) === String(graph.id));
  const shown = mine.filter((job) => isActive(job) || job.state === "failed").slice(0, 4);
  if (!shown.length) return null;
  return (
    <section className="card" aria-label="Jobs of this graph">
      <ul className="body">
        {shown.map((job) => (
          <JobRow key={job.id} job={job} workers={status.data?.workers.jobs} />
        ))}
      </ul>
    </section>
  );
}

function Examples({ graph }: { graph: Graph }) {
  if (!graph.examples.length || graph.state !== "ready") return null;
  return (
    <Card title="Ask, for example">
      <ul className="body example-links">
        {graph.examples.map((question) => (
          <li key={question}>
            <Link to={`/?graph=${graph.id}&q=${encodeURIComponent(question)}`}>{question}</Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Those that the page of an imported graph has. */
function sectionsOf(graph: Graph): Section[] {
  const facts = graph.state === "ready" && graph.triples > 0;
  const trainable = graph.triples > 0 || graph.state !== "ready";
  const all: [boolean, Section][] = [
    [facts, { id: "figures", label: "Overview" }],
    [facts, { id: "schema", label: "Schema" }],
    [facts, { id: "browse", label: "Explore" }],
    [graph.state === "ready" && graph.passages > 0, { id: "passages", label: "Passages" }],
    [true, { id: "questions", label: "Question sets" }],
    [trainable, { id: "labels", label: "Labels" }],
    [trainable, { id: "training", label: "Checkpoints" }],
    [true, { id: "tests", label: "Tests" }],
    [graph.state === "ready", { id: "limit", label: "Limit" }],
    [true, { id: "access", label: "Access" }],
    [facts, { id: "edits", label: "Edits" }],
    [true, { id: "source", label: "Source" }],
    [true, { id: "versions", label: "Versions" }],
    [graph.problems > 0, { id: "bad-rows", label: "Bad rows" }],
  ];
  return all.filter(([there]) => there).map(([, section]) => section);
}

interface Shown {
  graph: Graph;
  role: Role | undefined;
  mayChange: boolean;
  /** Whether its sections are in their places. */
  ready: boolean;
}

/** What there is of a graph that was imported. */
function Imported({ graph, role, mayChange, ready }: Shown) {
  const admin = role === "admin";
  const mayWrite = admin || role === "analyst";
  return (
    <>
      <Sections sections={sectionsOf(graph)} ready={ready} />
      {graph.state === "ready" && graph.triples > 0 && (
        <>
          <Figures graph={graph} admin={admin} />
          <SchemaCard graph={graph} />
          <Browse graph={graph} mayChange={mayChange} />
        </>
      )}
      {graph.passages > 0 && graph.state === "ready" && (
        <>
          <Passages graph={graph} />
          <Extract graph={graph} mayWrite={mayWrite} admin={admin} />
        </>
      )}
      <QuestionSets graph={graph.id} mayWrite={mayWrite} />
      {graph.state === "ready" && graph.triples > 0 && <SampleQuestions graph={graph} mayWrite={mayWrite} />}
      {(graph.triples > 0 || graph.state !== "ready") && (
        <>
          <LabelSets graph={graph} mayWrite={mayWrite} />
          <Training graph={graph} mayWrite={mayWrite} />
        </>
      )}
      <TestsCard graph={graph} />
      {graph.state === "ready" && <LimitCard graph={graph} mayChange={mayChange} />}
      <Access graph={graph} mayChange={mayChange} />
      {graph.state === "ready" && graph.triples > 0 && <EditsCard graph={graph} mayChange={mayChange} />}
      <SourceCard graph={graph} mayChange={mayChange} />
      <Versions graph={graph} admin={admin} />
      <Validation graph={graph} />
      {graph.problems > 0 && (
        <Card title="Rows that could not be used" id="bad-rows" count={graph.problems}>
          <ProblemsTable graph={graph.id} />
        </Card>
      )}
    </>
  );
}

export function GraphPage() {
  const { id = "" } = useParams();
  const asked = useQuery(graphQuery(id));
  const { data: graph } = asked;
  const { data: session } = useQuery(sessionQuery);
  const [deleting, setDeleting] = useState(false);
  const [naming, setNaming] = useState(false);
  useTitle(graph?.name ?? "Graph");
  const role = session?.user?.role;
  if (asked.error || !graph) {
    return (
      <Unseen of={asked} what="graph" instead={["All graphs", "/graphs"]}>
        It may have been deleted, or you may not see it.
      </Unseen>
    );
  }
  const mayChange = role === "admin" || (graph.owner !== null && graph.owner === session?.user?.username);
  return (
    <Page
      title={graph.name}
      heading={<bdi>{graph.name}</bdi>}
      within={["Graphs", "/graphs"]}
      beside={<GraphState graph={graph} />}
      acts={
        <>
          {mayChange && (
            <Button look="plain" onPress={() => setNaming(true)}>
              Rename
            </Button>
          )}
          {role === "admin" && (
            <Button look="plain" icon="trash" onPress={() => setDeleting(true)}>
              Delete
            </Button>
          )}
          {graph.state === "ready" && (graph.triples > 0 || graph.endpoint) && (
            <Link className="btn" to={`/graphs/${graph.id}/explore`}>
              Explore
            </Link>
          )}
          {graph.state === "ready" && (
            <Link className="btn primary" to={`/?graph=${graph.id}`}>
              Ask this graph
            </Link>
          )}
        </>
      }
    >
      <p className="muted">
        {graph.description && `${graph.description} `}
        Added <Ago iso={graph.created_at} />
        {graph.created_by && ` by ${graph.created_by}`}.
      </p>
      {graph.error && (
        <Notice tone="bad" urgent title={graph.error.message}>
          {graph.error.hint}
        </Notice>
      )}
      <IndexNotice graph={graph} admin={role === "admin"} />
      <Together what="what is known of it">
        {(ready) =>
          graph.endpoint ? (
            <>
              <Work graph={graph} />
              <EndpointCard graph={graph} mayChange={mayChange} />
              <SchemaCard graph={graph} />
              <Browse graph={graph} />
              <Access graph={graph} mayChange={mayChange} />
              <NotImported admin={role === "admin"} />
            </>
          ) : (
            <>
              <TestNotice graph={graph} />
              <SourceNotice graph={graph} mayChange={mayChange} />
              <Counts graph={graph} />
              <GraphLanguages graph={graph} />
              <Examples graph={graph} />
              <Work graph={graph} />
              <Imported graph={graph} role={role} mayChange={mayChange} ready={ready} />
            </>
          )
        }
      </Together>
      <NameGraph graph={graph} isOpen={naming} onClose={() => setNaming(false)} />
      <DeleteGraph graph={graph} isOpen={deleting} onClose={() => setDeleting(false)} />
    </Page>
  );
}
