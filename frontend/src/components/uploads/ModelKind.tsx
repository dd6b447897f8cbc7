// One kind of a data model: what it is called, what names it, and its columns, each to be corrected.
import { useState } from "react";
import type { DataModel, Kind, ModelChanges } from "@/api/dataModel";
import { Pick, PickField, type Option } from "@/components/kit/controls";
import { TextField } from "@/components/kit/TextField";
import {
  changeColumn,
  changeKind,
  changeReference,
  chooseTarget,
  findUsed,
  labelColumn,
  listNameColumns,
  matchText,
  nameText,
} from "@/view/dataModel";
import { integer } from "@/view/format";
import { pressedKey } from "@/view/keys";

const NONE = "";
const SAMPLES = 2;
const EXAMPLES = 3;
const TYPES: readonly Option[] = [
  { id: "text", label: "One value", detail: "A cell is one value" },
  { id: "list", label: "Several values", detail: "Cells are split at ; | , / or line breaks" },
];

interface Props {
  model: DataModel;
  kind: Kind;
  changes: ModelChanges;
  /** Without it the model is only shown. */
  onChange?: ((changes: ModelChanges) => void) | undefined;
}

/** A line of text that counts when it is left, or with Enter. */
function Line({ label, value, onDone }: { label: string; value: string; onDone: (text: string) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
  const done = () => {
    if (draft !== null && draft.trim() !== value) onDone(draft.trim());
    setDraft(null);
  };
  return (
    <TextField
      label={label}
      value={draft ?? value}
      maxLength={200}
      onChange={setDraft}
      onBlur={done}
      onKeyDown={(event) => {
        if (draft !== null && pressedKey(event).toLowerCase() === "z") event.stopPropagation(); // of the text
        if (pressedKey(event) !== "Enter") return;
        event.preventDefault();
        done();
      }}
    />
  );
}

function columnOption(kind: Kind, name: string): Option {
  const column = kind.columns.find((one) => one.name === name);
  return { id: name, label: name, detail: column?.samples.slice(0, SAMPLES).join(", ") };
}

/** One column, or two such as given and family name. */
function NameFields({ kind, onDone }: { kind: Kind; onDone: (name: readonly string[]) => void }) {
  const [first, second, ...more] = kind.name;
  const columns = listNameColumns(kind).map((name) => columnOption(kind, name));
  return (
    <>
      <PickField
        label="Named by"
        options={[{ id: NONE, label: "Its kind and number", detail: `${kind.label} 1` }, ...columns]}
        value={first ?? NONE}
        onChange={(name) => onDone(name ? [name, ...kind.name.slice(1).filter((one) => one !== name)] : [])}
      />
      {first !== undefined && columns.length > 1 && (
        <PickField
          label="And by"
          options={[{ id: NONE, label: "Nothing more" }, ...columns.filter((one) => one.id !== first)]}
          value={second ?? NONE}
          onChange={(name) => onDone(name ? [first, name, ...more.filter((one) => one !== name)] : [first])}
        />
      )}
    </>
  );
}

function KindFields({ kind, changes, onChange }: Props & Required<globalThis.Pick<Props, "onChange">>) {
  const keys = kind.columns.map((column) => columnOption(kind, column.name));
  const change = (parts: Parameters<typeof changeKind>[2]) =>
    onChange?.(changeKind(changes, kind.table, parts));
  return (
    <div className="fields">
      <Line label="Called" value={kind.label} onDone={(label) => change({ label: label || undefined })} />
      <NameFields kind={kind} onDone={(name) => change({ name })} />
      <PickField
        label="Referred to by"
        options={[{ id: NONE, label: "Nothing but its name" }, ...keys]}
        value={kind.key ?? NONE}
        onChange={(key) => change({ key: key || null })}
      />
    </div>
  );
}

function ColumnRow({ model, kind, changes, onChange, column }: Props & { column: Kind["columns"][number] }) {
  const used = findUsed(model, kind.table, column.name);
  const target = model.kinds.find((one) => one.table === used?.target);
  const targets = [
    { id: NONE, label: "Nothing" },
    ...model.kinds.map((one) => ({ id: one.table, label: one.label, detail: one.table })),
  ];
  if (!onChange) {
    return (
      <tr>
        <td>{column.label}</td>
        <td>{column.type}</td>
        <td>{target?.label ?? ""}</td>
        <td className="muted elide cell-text">{column.samples.join(", ")}</td>
      </tr>
    );
  }
  const cells = column.type === "list" ? "list" : "text";
  return (
    <tr className={column.is_ignored ? "muted" : undefined}>
      <th scope="row">
        {column.name}
        <br />
        <small className="muted">
          {column.type}, {integer(column.distinct)} different
        </small>
      </th>
      <td data-head="Relation">
        <Line
          label={`Relation of ${column.name}`}
          value={used?.label ?? column.label}
          onDone={(label) =>
            onChange(labelColumn(model, changes, kind.table, column.name, label || undefined))
          }
        />
      </td>
      <td data-head="Unit">
        <Line
          label={`Unit of ${column.name}`}
          value={column.unit}
          onDone={(unit) => onChange(changeColumn(changes, kind.table, column.name, { unit }))}
        />
      </td>
      <td data-head="Cells">
        <Pick
          label={`Cells of ${column.name}`}
          options={TYPES}
          value={cells}
          onChange={(type) =>
            onChange(
              changeColumn(changes, kind.table, column.name, { type: type === "list" ? "list" : "text" }),
            )
          }
        />
      </td>
      <td data-head="Refers to">
        <Pick
          label={`${column.name} refers to`}
          options={targets}
          value={used?.target ?? NONE}
          onChange={(table) => {
            const reference = chooseTarget(model, kind.table, column.name, table || null);
            if (reference) onChange(changeReference(changes, reference));
          }}
        />
        {used && used.matched < used.filled && <small className="muted">{matchText(used)}</small>}
      </td>
      <td data-head="Leave out">
        <input
          type="checkbox"
          aria-label={`Leave ${column.name} out`}
          checked={column.is_ignored}
          onChange={(event) =>
            onChange(changeColumn(changes, kind.table, column.name, { is_ignored: event.target.checked }))
          }
        />
      </td>
      <td data-head="Samples" className="muted elide cell-text" title={column.samples.join(", ")}>
        {column.samples.join(", ")}
      </td>
    </tr>
  );
}

const HEADS = ["Column", "Relation", "Unit", "Cells", "Refers to", "Leave out", "Samples"];
const SHOWN_HEADS = ["Relation", "Type", "Refers to", "Samples"];

function Columns(props: Props) {
  const { kind, onChange } = props;
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={`Columns of ${kind.label}`}>
      <table className={`table compact model-columns ${onChange ? "edited" : ""}`}>
        <thead>
          <tr>
            {(onChange ? HEADS : SHOWN_HEADS).map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kind.columns.map((column) => (
            <ColumnRow key={column.name} {...props} column={column} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What is folded away is not made: hundreds of kinds have thousands of fields. */
export function ModelKind({ startsOpen, ...props }: Props & { startsOpen: boolean }) {
  const { kind, onChange } = props;
  const [isOpen, setIsOpen] = useState(startsOpen);
  return (
    <details className="model-kind" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <strong>{kind.label}</strong>{" "}
        <span className="muted">
          {integer(kind.count)}
          {kind.table !== kind.label && ` in ${kind.table}`}, {nameText(kind)}
        </span>
        {!isOpen && kind.examples[0] && <span className="small elide model-example">{kind.examples[0]}</span>}
      </summary>
      {isOpen && kind.examples.length > 0 && (
        <ul className="notes small">
          {kind.examples.slice(0, EXAMPLES).map((example) => (
            <li key={example}>{example}</li>
          ))}
        </ul>
      )}
      {isOpen && onChange && <KindFields {...props} onChange={onChange} />}
      {isOpen && <Columns {...props} />}
    </details>
  );
}
