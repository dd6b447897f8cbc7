// Setting or changing the source of a graph: where it is, when it is read again, and a trial before it is saved.
import { useState } from "react";
import {
  changeSource,
  checkSource,
  createSource,
  type GraphSource,
  type NewSource,
  type SourceKind,
} from "@/api/sources";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { OneOf } from "@/components/kit/Choices";
import { Button, Modal, PickField, type DialogProps } from "@/components/kit/controls";
import { ErrorNotice, Notice, Spinner } from "@/components/kit/feedback";
import { Form } from "@/components/kit/Form";
import { TextArea, TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { KINDS } from "@/view/refreshes";
import { DAYS, formatCron, parseSchedule, type Repeat, type Schedule } from "@/view/schedule";

const KIND_CHOICES: readonly { id: SourceKind; label: string; detail: string }[] = [
  { id: "files", label: KINDS.files, detail: "Addresses, or paths on the server; SQLite files too" },
  { id: "s3", label: KINDS.s3, detail: "An object, or all objects in a folder" },
  { id: "postgresql", label: KINDS.postgresql, detail: "Its rows become one table" },
  { id: "sqlite", label: KINDS.sqlite, detail: "Its rows become one table" },
  { id: "sparql", label: KINDS.sparql, detail: "The facts of a CONSTRUCT query" },
];

const ADDRESS: Record<SourceKind, readonly [label: string, hint: string, placeholder: string]> = {
  files: [
    "Addresses, one per line",
    "Only hosts and folders that the operator allows (CLEW_IMPORT_HOSTS, CLEW_IMPORT_PATHS).",
    "https://data.example.org/films.csv",
  ],
  s3: [
    "Address of the object or folder",
    "The storage must be allowed (CLEW_IMPORT_HOSTS). The secret key is stored encrypted. Leave out the keys of public data, and the endpoint of Amazon S3.",
    "s3://ACCESS_KEY:SECRET_KEY@bucket/folder/?endpoint=https://storage.example.org&region=NAME",
  ],
  postgresql: [
    "Address of the database",
    "Its server must be allowed (CLEW_IMPORT_DATABASES). The password is stored encrypted. Use a role that may only read.",
    "postgresql://reader:password@db.example.org/films",
  ],
  sqlite: [
    "Path or address of the database file",
    "Only folders and hosts that the operator allows (CLEW_IMPORT_PATHS, CLEW_IMPORT_HOSTS).",
    "/srv/data/films.db",
  ],
  sparql: [
    "Address of the endpoint",
    "Only hosts that the operator allows (CLEW_IMPORT_HOSTS).",
    "https://data.example.org/sparql",
  ],
};

const QUERY: Partial<Record<SourceKind, readonly [label: string, placeholder: string]>> = {
  postgresql: ["SELECT query", "SELECT title, director FROM films ORDER BY id"],
  sqlite: ["SELECT query", "SELECT title, director FROM films ORDER BY id"],
  sparql: ["CONSTRUCT query", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"],
};

const REPEATS: readonly { id: Repeat; label: string }[] = [
  { id: "none", label: "Only by hand" },
  { id: "hourly", label: "Every hour" },
  { id: "daily", label: "Every day" },
  { id: "weekly", label: "Every week" },
  { id: "cron", label: "Cron expression" },
];

function ScheduleFields({ value, onChange }: { value: Schedule; onChange: (value: Schedule) => void }) {
  const { repeat, time, day, cron } = value;
  return (
    <div className="settings-grid">
      <PickField
        label="Read it again"
        options={REPEATS}
        value={repeat}
        onChange={(id) => onChange({ ...value, repeat: id as Repeat })}
      />
      {repeat === "weekly" && (
        <PickField
          label="Day"
          options={DAYS.map((label, place) => ({ id: String(place), label }))}
          value={day}
          onChange={(id) => onChange({ ...value, day: id })}
        />
      )}
      {repeat === "hourly" && (
        <TextField
          label="Minutes past the hour"
          type="number"
          min={0}
          max={59}
          numeric
          value={String(Number(time.slice(3)))}
          onChange={(text) => onChange({ ...value, time: `00:${text.padStart(2, "0")}` })}
        />
      )}
      {(repeat === "daily" || repeat === "weekly") && (
        <TextField
          label="Time (UTC)"
          type="time"
          required
          value={time}
          onChange={(text) => onChange({ ...value, time: text })}
        />
      )}
      {repeat === "cron" && (
        <TextField
          label="Cron, in UTC"
          hint="Minute, hour, day of the month, month, day of the week: 30 6 * * 1-5"
          spellCheck={false}
          value={cron}
          onChange={(text) => onChange({ ...value, cron: text })}
        />
      )}
    </div>
  );
}

function SourceForm({
  graph,
  source,
  onClose,
}: {
  graph: Graph;
  source: GraphSource | null;
  onClose: () => void;
}) {
  const [kind, setKind] = useState<SourceKind>(source?.kind ?? "files");
  const [address, setAddress] = useState(source?.addresses.join("\n") ?? "");
  const [query, setQuery] = useState(source?.query ?? "");
  const [fileName, setFileName] = useState(source?.file_name ?? "");
  const [schedule, setSchedule] = useState(() => parseSchedule(source?.schedule ?? ""));
  const [notify, setNotify] = useState(source?.notify ?? "");
  const addresses = address
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  // An address that was not touched is not sent, so that the stored password stays.
  const isSame = source?.kind === kind && source.addresses.join("\n") === addresses.join("\n");
  const where = { kind, query, file_name: fileName.trim(), ...(isSame ? {} : { addresses }) };
  const rest = { schedule: formatCron(schedule), notify: notify.trim() };
  const send = useAct(
    () =>
      source
        ? changeSource(graph.id, { ...where, ...rest })
        : createSource(graph.id, { ...where, ...rest, addresses } satisfies NewSource),
    { changes: [keys.graphs], done: onClose },
  );
  const check = useAct(() => checkSource(graph.id, where));
  const [label, hint, placeholder] = ADDRESS[kind];
  const question = QUERY[kind];
  const isReady = addresses.length > 0 && (!question || query.trim() !== "");
  const shared = { label, hint, placeholder, spellCheck: false, value: address, onChange: setAddress };
  return (
    <Form
      of={send}
      act="Save"
      isDisabled={!isReady}
      onClose={onClose}
      foot={
        <Button isDisabled={!isReady || check.isPending} onPress={() => check.mutate()}>
          {check.isPending ? <Spinner label="Testing" /> : "Test connection"}
        </Button>
      }
    >
      <OneOf label="Kind" options={KIND_CHOICES} value={kind} onChange={setKind} />
      {kind === "files" ? <TextArea {...shared} rows={2} /> : <TextField {...shared} autoComplete="off" />}
      {source?.has_password && kind === source.kind && (
        <p className="small muted">
          A {kind === "s3" ? "secret key" : "password"} is stored. It is kept as long as the server and the
          user stay the same.
        </p>
      )}
      {question && (
        <TextArea
          label={question[0]}
          rows={5}
          spellCheck={false}
          placeholder={question[1]}
          value={query}
          onChange={setQuery}
        />
      )}
      {kind !== "sparql" && addresses.length < 2 && (
        <TextField
          label="Name of the file"
          hint={
            kind === "s3"
              ? "For a single object. The data model of the current version is used if its file has this name."
              : "The data model of the current version is used if its file has this name."
          }
          placeholder={question ? "rows.csv" : "as in the address"}
          maxLength={200}
          value={fileName}
          onChange={setFileName}
        />
      )}
      {check.error && <ErrorNotice error={check.error} />}
      {check.isSuccess && (
        <Notice tone="info" title="It can be read">
          {check.data.keeps_model
            ? "It will be read with the data model of the current version. "
            : "Its data model will be inferred. "}
          It begins with:
        </Notice>
      )}
      {check.isSuccess && <pre className="source-sample small">{check.data.sample}</pre>}
      <ScheduleFields value={schedule} onChange={setSchedule} />
      <TextField
        label="E-mail address for failures"
        hint="Used if this installation sends mail. Failures are always shown on this page."
        type="email"
        value={notify}
        onChange={setNotify}
      />
    </Form>
  );
}

export function SourceDialog({
  graph,
  source,
  isOpen,
  onClose,
}: DialogProps & { graph: Graph; source: GraphSource | null }) {
  return (
    <Modal wide title={`Source of ${graph.name}`} isOpen={isOpen} onClose={onClose}>
      <SourceForm graph={graph} source={source} onClose={onClose} />
    </Modal>
  );
}
