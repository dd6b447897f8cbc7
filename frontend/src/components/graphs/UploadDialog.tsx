// Upload of a graph: files by drop or picker, options, and a bar that says how much has been sent.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { DropZone, FileTrigger, Text } from "react-aria-components";
import { useNavigate } from "react-router";
import { keys, uploadGraph } from "@/api/queries";
import { Button, Modal, Pick } from "@/components/kit/controls";
import { ErrorNotice, Progress } from "@/components/kit/says";
import { bytes } from "@/store/format";

const FORMATS = [
  { id: "auto", label: "Detect", detail: "By file name and content" },
  { id: "delimited", label: "Triples as text", detail: "head, relation, tail on each line" },
  { id: "property-csv", label: "Nodes and edges (CSV)", detail: "With attributes: GFM-RAG, Neo4j" },
  { id: "property-jsonl", label: "Nodes and edges (JSON lines)" },
  { id: "ntriples", label: "N-Triples" },
  { id: "turtle", label: "Turtle" },
  { id: "nquads", label: "N-Quads" },
  { id: "rdfxml", label: "RDF/XML" },
  { id: "jsonld", label: "JSON-LD" },
  { id: "text", label: "Plain text", detail: "Cut into passages" },
  { id: "markdown", label: "Markdown", detail: "Cut into passages" },
  { id: "html", label: "Web page", detail: "Cut into passages" },
  { id: "pdf", label: "PDF", detail: "Cut into passages" },
  { id: "passages", label: "Passages", detail: "JSON Lines with id, title, text and triples" },
  { id: "hotpotqa", label: "HotpotQA or 2Wiki", detail: "The passages of its questions" },
  { id: "musique", label: "MuSiQue", detail: "The passages of its questions" },
];

const DELIMITERS = [
  { id: "auto", label: "Detect" },
  { id: "tab", label: "Tab" },
  { id: "comma", label: "Comma ," },
  { id: "pipe", label: "Bar |" },
];

const DELIMITER_CHARS: Record<string, string> = { tab: "\t", comma: ",", pipe: "|" };

const HEADERS = [
  { id: "auto", label: "Detect" },
  { id: "true", label: "The first line names the columns" },
  { id: "false", label: "No header" },
];

/** A name for a graph from that of its first file. */
export function nameFromFile(file: string): string {
  return file
    .replace(/(\.(txt|md|html?|pdf|tsv|csv|nt|nq|ttl|rdf|xml|owl|jsonld|jsonl|json|gz|zip))+$/i, "")
    .replaceAll(/[_-]+/g, " ");
}

function FileList({ files, onRemove }: { files: readonly File[]; onRemove: (file: File) => void }) {
  return (
    <ul className="files">
      {files.map((file) => (
        <li key={`${file.name} ${file.size}`} className="row">
          <span className="grow elide">{file.name}</span>
          <span className="muted small tabular">{bytes(file.size)}</span>
          <Button
            look="plain"
            size="small"
            icon="close"
            aria-label={`Remove ${file.name}`}
            onPress={() => {
              onRemove(file);
            }}
          />
        </li>
      ))}
    </ul>
  );
}

function UploadForm({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [files, setFiles] = useState<readonly File[]>([]);
  const [name, setName] = useState("");
  const [format, setFormat] = useState("auto");
  const [delimiter, setDelimiter] = useState("auto");
  const [header, setHeader] = useState("auto");
  const [share, setShare] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);
  const sending = share !== null;
  const textual = format === "auto" || format === "delimited";

  const add = (more: readonly File[]) => {
    setFiles((now) => [...now, ...more.filter((file) => !now.some((one) => one.name === file.name))]);
    const [first] = more;
    if (!name && first) setName(nameFromFile(first.name));
  };

  const send = async () => {
    const form = new FormData();
    form.set("name", name.trim());
    for (const file of files) form.append("files", file);
    form.set("format", format);
    if (textual && delimiter !== "auto") form.set("delimiter", DELIMITER_CHARS[delimiter] ?? "");
    if (textual && header !== "auto") form.set("header", header);
    abort.current = new AbortController();
    setError(null);
    setShare(0);
    try {
      const { graph } = await uploadGraph(form, setShare, abort.current.signal);
      await client.invalidateQueries({ queryKey: keys.graphs });
      onClose();
      await navigate(`/graphs/${graph.id}`);
    } catch (reason) {
      setError(reason);
    } finally {
      setShare(null);
    }
  };

  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <DropZone
        className="drop"
        isDisabled={sending}
        onDrop={(event) => {
          void Promise.all(
            event.items.flatMap((item) => (item.kind === "file" ? [item.getFile()] : [])),
          ).then(add);
        }}
      >
        <Text slot="label">Drop files here, or</Text>
        <FileTrigger
          allowsMultiple
          onSelect={(list) => {
            add([...(list ?? [])]);
          }}
        >
          <Button icon="upload" isDisabled={sending}>
            Choose files
          </Button>
        </FileTrigger>
        <dl className="accepts small">
          <dt>Facts</dt>
          <dd>
            Triples as tab, comma or | separated text; RDF (N-Triples, Turtle, N-Quads, RDF/XML, JSON-LD)
          </dd>
          <dt>Nodes and edges</dt>
          <dd>
            CSV of nodes and of edges, as Neo4j exports them, or JSONL; attributes and source texts are kept
          </dd>
          <dt>Documents</dt>
          <dd>
            Text, Markdown, HTML, PDF with text in it, or passages as JSON or JSONL: cut into passages to ask
          </dd>
        </dl>
        <p className="small muted">Several files make one graph. Gzipped is fine.</p>
      </DropZone>
      {files.length > 0 && (
        <FileList
          files={files}
          onRemove={(file) => {
            setFiles(files.filter((one) => one !== file));
          }}
        />
      )}
      <div className="field">
        <label htmlFor="graph-name">Name</label>
        <input
          id="graph-name"
          className="input"
          required
          maxLength={200}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
      </div>
      <div className="fields">
        <Pick label="Format" showLabel options={FORMATS} value={format} onChange={setFormat} />
        {textual && (
          <Pick label="Delimiter" showLabel options={DELIMITERS} value={delimiter} onChange={setDelimiter} />
        )}
        {textual && <Pick label="Header" showLabel options={HEADERS} value={header} onChange={setHeader} />}
      </div>
      {error ? <ErrorNotice error={error} /> : null}
      {sending && (
        <div className="stack tight">
          <Progress label="Sending" share={share} />
          <p className="small muted tabular" role="status">
            {share < 1 ? `Sending, ${Math.round(share * 100)}%` : "Sent. The server is reading the files…"}
          </p>
        </div>
      )}
      <div className="foot">
        <Button
          onPress={() => {
            if (sending) abort.current?.abort();
            else onClose();
          }}
        >
          {sending ? "Stop the upload" : "Cancel"}
        </Button>
        <Button type="submit" look="primary" isDisabled={sending || files.length === 0 || !name.trim()}>
          Upload
        </Button>
      </div>
    </form>
  );
}

export function UploadDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="Upload a graph" isOpen={isOpen} onClose={onClose}>
      <UploadForm onClose={onClose} />
    </Modal>
  );
}
