// What files are taken for, with their first rows as they would be read; what is wrong can be corrected.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatsQuery, previewQuery, type Format, type Guess, type Kind } from "@/api/uploads";
import type { From, Reading } from "@/api/types";
import { ProblemRows } from "@/components/graphs/ProblemsTable";
import { Button, Pick } from "@/components/kit/controls";
import { ErrorNotice, Loading, Notice } from "@/components/kit/feedback";
import { bytes, count } from "@/view/format";
import {
  DELIMITERS,
  ENCODINGS,
  HEADERS,
  formatName,
  formatOptions,
  heeds,
  said,
  swapped,
  tableWords,
} from "./formats";

const ROLES = ["head", "relation", "tail"] as const;
const MEMBERS = 8;

interface ReadingProps {
  formats: readonly Format[];
  guess: Guess;
  reading: Reading;
  onChange: (reading: Reading) => void;
}

function auto(options: readonly { id: string; label: string }[], found: string | undefined) {
  return options.map((one) =>
    one.id === "auto" && found !== undefined ? { ...one, label: `Detected: ${found}` } : one,
  );
}

/** The settings of reading, each with what was found. */
function ReadingForm({ formats, guess, reading, onChange }: ReadingProps) {
  const set = (name: keyof Reading) => (value: string) => {
    onChange(said(reading, name, value));
  };
  const asks = (option: Format["options"][number]) =>
    reading[option] !== undefined || heeds(formats, reading.format ?? guess.format, option);
  const found = (options: readonly { id: string; label: string }[], id: string) =>
    options.find((one) => one.id === id)?.label ?? id;
  const facts = ROLES.every((role) => guess.columns[role] !== undefined);
  return (
    <div className="fields">
      <Pick
        label="Format"
        showLabel
        options={auto(formatOptions(formats), guess.format ? formatName(formats, guess.format) : undefined)}
        value={reading.format ?? "auto"}
        onChange={set("format")}
      />
      {asks("delimiter") && (
        <Pick
          label="Delimiter"
          showLabel
          options={auto(
            DELIMITERS,
            guess.delimiter === null ? undefined : found(DELIMITERS, guess.delimiter),
          )}
          value={reading.delimiter ?? "auto"}
          onChange={set("delimiter")}
        />
      )}
      {asks("header") && (
        <Pick
          label="First line"
          showLabel
          options={auto(HEADERS, guess.header === null ? undefined : found(HEADERS, String(guess.header)))}
          value={reading.header === undefined ? "auto" : String(reading.header)}
          onChange={set("header")}
        />
      )}
      {asks("encoding") && (
        <Pick
          label="Encoding"
          showLabel
          options={auto(ENCODINGS, guess.encoding)}
          value={reading.encoding ?? "auto"}
          onChange={set("encoding")}
        />
      )}
      {facts &&
        guess.header_cells.length >= ROLES.length &&
        ROLES.map((role) => (
          <Pick
            key={role}
            label={`${role[0]?.toUpperCase() ?? ""}${role.slice(1)} is in`}
            showLabel
            options={guess.header_cells.map((cell, place) => ({
              id: String(place),
              label: cell || `column ${place + 1}`,
            }))}
            value={String(guess.columns[role])}
            onChange={(place) =>
              onChange({ ...reading, columns: swapped(guess.columns, role, Number(place)) })
            }
          />
        ))}
    </div>
  );
}

function Rows({ guess }: { guess: Guess }) {
  return (
    <div
      className="scroll-x preview-rows"
      tabIndex={0}
      role="region"
      aria-label={`First rows of ${guess.name}`}
    >
      <table className="table">
        <thead>
          <tr>
            {guess.titles.map((title) => (
              <th key={title}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {guess.rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, column) => (
                <td key={column} className="elide cell-text" title={cell}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Looked({ guess }: { guess: Guess }) {
  const told = tableWords(guess);
  return (
    <>
      {!guess.format && (
        <Notice
          tone={guess.refused ? "warn" : "info"}
          title={guess.refused ? `${guess.name} cannot be read as it is` : guess.name}
        >
          {guess.notes.join(" ") || "Choose its format, or take the file out."}
        </Notice>
      )}
      {guess.members.length > 0 && (
        <p className="small muted">
          {count(guess.members.length, "file")} in it:{" "}
          {guess.members
            .slice(0, MEMBERS)
            .map((one) => `${one.name} (${bytes(one.bytes)})`)
            .join(", ")}
          {guess.members.length > MEMBERS && ` and ${guess.members.length - MEMBERS} more`}
        </p>
      )}
      {guess.format !== "" && guess.notes.length > 0 && (
        <ul className="notes small">
          {guess.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {told && <p>{told}</p>}
      {guess.rows.length > 0 && <Rows guess={guess} />}
      {guess.problems.length > 0 && (
        <details>
          <summary>{count(guess.problems.length, "row")} of these cannot be used</summary>
          <ProblemRows problems={guess.problems} />
        </details>
      )}
      {guess.raw.length > 0 && (
        <details>
          <summary>The file as it is</summary>
          <pre className="raw">{guess.raw.join("\n")}</pre>
        </details>
      )}
    </>
  );
}

interface PreviewProps {
  kind: Kind;
  from: From;
  reading: Reading;
  onChange: (reading: Reading) => void;
}

export function Preview({ kind, from, reading, onChange }: PreviewProps) {
  const [place, setPlace] = useState(0);
  const { data, error, isFetching, refetch } = useQuery(previewQuery(kind, from, reading));
  const formats = useQuery(formatsQuery).data?.[kind] ?? [];
  if (!data && error) {
    const again =
      Object.keys(reading).length > 0 ? (
        <Button onPress={() => onChange({})}>Detect again</Button>
      ) : (
        <Button onPress={() => void refetch()}>Try again</Button>
      );
    return <ErrorNotice error={error} acts={again} />;
  }
  if (!data) return <Loading what="the first rows" />;
  const guess = data[Math.min(place, data.length - 1)];
  if (!guess) return null;
  return (
    <section className="stack guessed" aria-label="How the files are read" aria-busy={isFetching}>
      {data.length > 1 && (
        <Pick
          label="File"
          showLabel
          options={data.map((one, at) => ({
            id: String(at),
            label: one.name,
            detail: one.format
              ? formatName(formats, one.format)
              : one.refused
                ? "cannot be read"
                : "a data model",
          }))}
          value={String(Math.min(place, data.length - 1))}
          onChange={(at) => setPlace(Number(at))}
        />
      )}
      <ReadingForm formats={formats} guess={guess} reading={reading} onChange={onChange} />
      {data.length > 1 && Object.keys(reading).length > 0 && (
        <p className="small muted">Corrections made here apply to all files of this upload.</p>
      )}
      {error && <ErrorNotice error={error} />}
      <Looked guess={guess} />
    </section>
  );
}
