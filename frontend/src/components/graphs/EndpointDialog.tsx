// Connecting a graph that stays in a SPARQL endpoint, and changing how it is asked there.
import { useState } from "react";
import { useNavigate } from "react-router";
import { ApiError } from "@/api/client";
import { changeEndpoint, connectEndpoint } from "@/api/endpoints";
import { keys } from "@/api/queries";
import type { Graph, Visibility } from "@/api/types";
import { Modal, type DialogProps } from "@/components/kit/controls";
import { Spinner } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { blankForm, complaints, connectionOf, formOf, type EndpointForm } from "@/view/endpointForm";
import { rememberGraph } from "@/store/settings";
import { AtFirst } from "./Access";

interface FieldProps {
  name: keyof EndpointForm;
  label: string;
  hint: string;
  numeric?: boolean;
  placeholder?: string;
}

const WHERE: FieldProps[] = [
  {
    name: "url",
    label: "Address",
    hint: "Of the endpoint itself. Only hosts that the operator allows can be asked (CLEW_IMPORT_HOSTS).",
    placeholder: "https://host/sparql",
  },
  {
    name: "named_graph",
    label: "Named graph",
    hint: "Its IRI; empty asks the endpoint’s default graph.",
    placeholder: "the default",
  },
];

const HOW: FieldProps[] = [
  {
    name: "languages",
    label: "Languages",
    hint: "Of names and texts, the preferred one first. Texts without a language are always read.",
  },
  { name: "hops", label: "Hops", hint: "How far from the topics facts are pulled.", numeric: true },
  { name: "max_triples", label: "Facts per question", hint: "The most that are pulled.", numeric: true },
  {
    name: "per_entity",
    label: "Facts per entity",
    hint: "The most in each direction; topics may have five times as many.",
    numeric: true,
  },
  {
    name: "timeout",
    label: "Time for a query, in seconds",
    hint: "After that it counts as failed.",
    numeric: true,
  },
];

function ConnectionForm({ graph, onClose }: { graph: Graph | null; onClose: () => void }) {
  const navigate = useNavigate();
  const [form, setForm] = useState(() => (graph?.endpoint ? formOf(graph.name, graph.endpoint) : blankForm));
  const [tried, setTried] = useState(false);
  const [visibility, setVisibility] = useState<Visibility>("private");
  const wrong = complaints(form);
  const send = useAct(
    () =>
      graph
        ? changeEndpoint(graph.id, connectionOf(form))
        : connectEndpoint({ name: form.name.trim(), visibility, ...connectionOf(form) }),
    {
      changes: [keys.graphs],
      done: async (made) => {
        onClose();
        rememberGraph(made.id);
        if (!graph) await navigate(`/graphs/${made.id}`);
      },
    },
  );
  const refused = send.error instanceof ApiError ? send.error.fields : {};
  const field = ({ name, label, hint, numeric, placeholder }: FieldProps) => {
    return (
      <TextField
        key={name}
        label={label}
        id={`endpoint-${name}`}
        numeric={numeric}
        inputMode={numeric ? "decimal" : name === "url" ? "url" : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        maxLength={name === "name" ? 200 : 2000}
        value={form[name]}
        onChange={(text) => setForm({ ...form, [name]: text })}
        hint={hint}
        error={(tried ? wrong[name] : undefined) ?? refused[name]?.[0]}
      />
    );
  };
  const hidden = HOW.some(({ name }) => wrong[name] ?? refused[name]);
  return (
    <Form
      of={send}
      act={graph ? "Check and save" : "Check and connect"}
      noValidate
      onClose={onClose}
      foot={
        send.isPending && (
          <span className="small muted grow" role="status">
            <Spinner /> Asking the endpoint…
          </span>
        )
      }
      onSend={() => {
        setTried(true);
        if (!Object.keys(wrong).length && !send.isPending) send.mutate();
      }}
    >
      {!graph && field({ name: "name", label: "Name", hint: "People choose the graph by this name." })}
      {WHERE.map(field)}
      {/* Opened where something in it is wrong, or nobody would find it. */}
      <details className="more" open={graph !== null || (tried && hidden)}>
        <summary>Languages and limits</summary>
        <div className="settings-grid">{HOW.map(field)}</div>
      </details>
      <p className="small muted">
        Nothing is copied: each question pulls what lies near the entities that it names. A trial query is
        sent first, and nothing is kept unless it returns a fact.
      </p>
      {!graph && <AtFirst value={visibility} onChange={setVisibility} />}
    </Form>
  );
}

/** `graph` null connects a new one. */
export function EndpointDialog({ graph, isOpen, onClose }: DialogProps & { graph: Graph | null }) {
  const title = graph ? `How ${graph.name} is asked` : "Connect a SPARQL endpoint";
  return (
    <Modal title={title} isOpen={isOpen} onClose={onClose} wide>
      <ConnectionForm graph={graph} onClose={onClose} />
    </Modal>
  );
}
