// Facts from the text of a graph, read by a language model: a new graph with the same passages.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { extract, extractionQuery, type ExtractForm, type Extraction } from "@/api/passages";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { PickField } from "@/components/kit/controls";
import { Notice } from "@/components/kit/feedback";
import { ModelField } from "@/components/kit/asking";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { Card } from "@/components/kit/Card";
import { DialogButton } from "@/components/kit/DialogButton";
import { count, integer } from "@/view/format";

/** A number as typed: null when nothing was, undefined when it is none above 0. */
export function amount(text: string): number | null | undefined {
  if (!text.trim()) return null;
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

const FORMS: readonly { id: ExtractForm; label: string; detail: string }[] = [
  { id: "own", label: "Clew’s own", detail: "Facts, each with the number of its sentence" },
  { id: "graphrag", label: "GraphRAG’s", detail: "Entities and described relationships" },
  { id: "kggen", label: "KGGen’s", detail: "Entities first, then what joins them: asks twice" },
];

function ExtractFields({ graph, of, onClose }: { graph: Graph; of: Extraction; onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState(`${graph.name} (extracted)`);
  const [llm, setLlm] = useState<string | null>(null);
  const [form, setForm] = useState<ExtractForm>("own");
  const [typed, setTyped] = useState({ tokens: "", cost: "" });
  const [tokens, money] = [amount(typed.tokens), amount(typed.cost)];
  const start = useAct(
    () =>
      extract(graph.id, {
        name: name.trim(),
        ...(llm !== null && { llm: Number(llm) }),
        ...(form !== "own" && { form }),
        ...(tokens && { max_tokens: Math.round(tokens) }),
        ...(money && { max_cost: money }),
      }),
    {
      changes: [keys.graphs],
      job: ({ job }) => job,
      done: async ({ graph: made }) => {
        onClose();
        await navigate(`/graphs/${made.id}`);
      },
    },
  );
  const field = (key: keyof typeof typed, label: string, hint: string, value: number | null | undefined) => (
    <TextField
      label={label}
      id={`extract-${key}`}
      numeric
      inputMode="decimal"
      autoComplete="off"
      placeholder="no limit"
      value={typed[key]}
      onChange={(text) => setTyped({ ...typed, [key]: text })}
      hint={hint}
      error={value === undefined ? "A number above 0." : null}
    />
  );
  return (
    <Form
      of={start}
      act="Start reading"
      isDisabled={!name.trim() || tokens === undefined || money === undefined}
      onClose={onClose}
    >
      <p>
        A language model reads {count(of.passages, "passage")}, one after the other, and writes down the facts
        in them, each with the sentence it stands in. They become a new graph; this one is not changed. Work
        that is stopped resumes where it was: nothing is paid for twice.
      </p>
      <TextField
        label="Name of the new graph"
        id="extract-name"
        required
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <div className="fields">
        <ModelField least={0} value={llm} onChange={setLlm} />
        <PickField
          label="Form of the questions"
          options={[...FORMS]}
          value={form}
          onChange={(id) => setForm(FORMS.find((one) => one.id === id)?.id ?? "own")}
        />
        {field("tokens", "Token limit", "Stops when they are used up.", tokens)}
        {field("cost", "Cost limit", "In the currency of the model’s price.", money)}
      </div>
    </Form>
  );
}

export function Extract({ graph, mayWrite, admin }: { graph: Graph; mayWrite: boolean; admin: boolean }) {
  const { data } = useQuery(extractionQuery(graph.id));
  if (!data || (!mayWrite && data.available)) return null;
  return (
    <Card
      title="Build a graph from the text"
      acts={
        data.available && (
          <DialogButton act="Build a graph" title="Build a graph from the text" size="small" icon="graph">
            {(close) => <ExtractFields graph={graph} of={data} onClose={close} />}
          </DialogButton>
        )
      }
    >
      <div className="body padded">
        {data.missing ? (
          <Notice
            tone="info"
            title={data.missing.message}
            acts={
              admin && data.missing.code === "llm_not_configured" ? (
                <Link className="btn small" to="/models">
                  Language models
                </Link>
              ) : undefined
            }
          >
            {data.missing.hint} Until then the text can be asked as it is, with the method “Passages”.
          </Notice>
        ) : (
          <p className="muted">
            {data.llm} reads {integer(data.passages)} passages and writes down their facts, each with its
            sentence.
          </p>
        )}
      </div>
    </Card>
  );
}
