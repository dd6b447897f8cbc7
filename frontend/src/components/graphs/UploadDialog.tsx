// Upload of a graph: files are sent at once, looked at, corrected and then imported.
import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { ApiError } from "@/api/client";
import { keys, createGraph } from "@/api/queries";
import type { Reading, Visibility } from "@/api/types";
import { Modal, type DialogProps } from "@/components/kit/controls";
import { DataModelForm, useDataModel } from "@/components/uploads/DataModel";
import { Files, useFiles } from "@/components/uploads/Files";
import { nameFromFiles } from "@/components/uploads/formats";
import { Sources } from "@/components/uploads/Sources";
import { Preview } from "@/components/uploads/Preview";
import { useIsRefused } from "@/components/uploads/useIsRefused";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { rememberGraph } from "@/store/settings";
import { useUploads } from "@/store/uploads";
import { AtFirst } from "./Access";

const PURPOSE = "graph";
const NAME_ID = "graph-name";

/** What a graph can be made of. */
export function Accepts() {
  return (
    <>
      <dl className="accepts small">
        <dt>Tables</dt>
        <dd>
          Excel and other workbooks, SQLite databases, CSV, or JSON: one thing on each row, with headings
          above the columns; every sheet is a table
        </dd>
        <dt>Facts</dt>
        <dd>
          Triples as tab, comma or | separated text or Parquet; RDF (N-Triples, Turtle, TriG, N-Quads, N3,
          RDF/XML, JSON-LD)
        </dd>
        <dt>Nodes and edges</dt>
        <dd>
          CSV or JSON of nodes and edges, as Neo4j, networkx, D3 and Cytoscape write them, GraphML, GEXF or
          Cypher scripts; attributes and source texts are kept
        </dd>
        <dt>Documents</dt>
        <dd>
          Text, Markdown, HTML, PDF with text in it, or passages as JSON or JSONL: cut into passages to ask
        </dd>
      </dl>
      <p className="small muted">
        Several files make one graph. Gzipped, or all together in a zip or tar file, is fine.
      </p>
    </>
  );
}

function UploadForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState<string | null>(null);
  const [reading, setReading] = useState<Reading>({});
  const [visibility, setVisibility] = useState<Visibility>("private");
  const { files, ids } = useFiles(PURPOSE);
  const [sources, setSources] = useState<readonly string[]>([]);
  const from = { uploads: ids ?? [], sources };
  const ready = (files.length === 0 || ids !== null) && (ids?.length ?? 0) + sources.length > 0;
  const name = typed ?? nameFromFiles([...files.map((file) => file.name), ...sources]);
  const edited = useDataModel(from, reading, null, ready);
  const body = { name: name.trim(), visibility, ...from, ...reading, model: edited.sent };
  const send = useAct(() => createGraph(body), {
    changes: [keys.graphs],
    done: async ({ graph }) => {
      useUploads.getState().forget(PURPOSE);
      rememberGraph(graph.id);
      onClose();
      await navigate(`/graphs/${graph.id}`);
    },
  });
  const taken = send.error instanceof ApiError && send.error.code === "name_taken" ? send.error : null;
  useEffect(() => {
    if (taken) document.getElementById(NAME_ID)?.focus();
  }, [taken]);
  const refused = useIsRefused("graph", from, reading, ready);
  const waiting = files.some((file) => file.state !== "done");
  return (
    <Form
      of={send}
      error={taken ? null : send.error}
      act="Import"
      isDisabled={!ready || refused || !name.trim()}
      onClose={onClose}
      leave={files.length ? "Close" : "Cancel"}
      foot={
        waiting && (
          <span className="small muted grow" role="status">
            Sending goes on when this is closed.
          </span>
        )
      }
    >
      <Files purpose={PURPOSE}>{files.length === 0 && <Accepts />}</Files>
      <Sources sources={sources} onChange={setSources} />
      <TextField
        label="Name"
        id={NAME_ID}
        required
        maxLength={200}
        placeholder={files.length + sources.length > 1 ? "What the files are about" : undefined}
        value={name}
        onChange={(text) => {
          setTyped(text);
          if (taken) send.reset();
        }}
        error={taken ? `${taken.message} ${taken.hint}` : undefined}
      />
      {ready && <Preview kind="graph" from={from} reading={reading} onChange={setReading} />}
      {ready && <DataModelForm {...edited} />}
      <AtFirst value={visibility} onChange={setVisibility} />
    </Form>
  );
}

export function UploadDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal title="Upload a graph" isOpen={isOpen} onClose={onClose} wide>
      <UploadForm onClose={onClose} />
    </Modal>
  );
}
