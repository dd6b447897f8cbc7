// What files can be read as, in words.
import type { Format, Guess } from "@/api/uploads";
import type { Reading } from "@/api/types";
import type { Option } from "@/components/kit/controls";
import { elide } from "@/view/format";

const DETECT: Option = { id: "auto", label: "Detect", detail: "By file name and content" };

/** What a format may be chosen from. */
export function formatOptions(formats: readonly Format[]): readonly Option[] {
  return [DETECT, ...formats.map(({ name, label, holds }) => ({ id: name, label, detail: holds }))];
}

/** The name of a format; an unknown one as it is. */
export function formatName(formats: readonly Format[], id: string): string {
  return formats.find((one) => one.name === id)?.label ?? id;
}

/** Whether a format heeds an option; of an unknown one only the encoding may be what is wrong. */
export function heeds(formats: readonly Format[], id: string, option: Format["options"][number]): boolean {
  const format = formats.find((one) => one.name === id);
  return format ? format.options.includes(option) : option === "encoding";
}

export const DELIMITERS: readonly Option[] = [
  { id: "auto", label: "Detect" },
  { id: "\t", label: "Tab" },
  { id: ",", label: "Comma ," },
  { id: "|", label: "Bar |" },
  { id: ";", label: "Semicolon ;" },
];

export const HEADERS: readonly Option[] = [
  { id: "auto", label: "Detect" },
  { id: "true", label: "The names of the columns" },
  { id: "false", label: "A row like the others" },
];

export const ENCODINGS: readonly Option[] = [
  { id: "auto", label: "Detect" },
  { id: "utf-8", label: "UTF-8" },
  { id: "utf-16", label: "UTF-16" },
  { id: "cp1252", label: "Western (Windows-1252)" },
  { id: "iso-8859-1", label: "Western (ISO 8859-1)" },
  { id: "cp1251", label: "Cyrillic (Windows-1251)" },
  { id: "shift_jis", label: "Japanese (Shift JIS)" },
  { id: "gb18030", label: "Chinese (GB 18030)" },
];

/** `reading` with one thing said, or left to be guessed again ("auto"). */
export function said(reading: Reading, name: keyof Reading, value: string): Reading {
  // Another format has other columns and delimiters.
  const gone = name === "format" ? ["format", "columns", "delimiter"] : [name];
  const kept = Object.fromEntries(Object.entries(reading).filter(([key]) => !gone.includes(key)));
  if (value === "auto") return kept;
  return { ...kept, [name]: name === "header" ? value === "true" : value };
}

/** `columns` with `role` in another place; who was there goes where it was, so that no two are ever in one. */
export function swapped(
  columns: Readonly<Record<string, number>>,
  role: string,
  place: number,
): Record<string, number> {
  const before = columns[role];
  return Object.fromEntries(
    Object.entries(columns).map(([name, at]) => {
      if (name === role) return [name, place];
      return [name, at === place && before !== undefined ? before : at];
    }),
  );
}

/** A name from that of a file. */
export function nameFromFile(file: string): string {
  return file
    .replace(
      /(\.(txt|md|html?|pdf|tsv|csv|psv|nt|nq|ttl|rdf|xml|owl|graphml|parquet|jsonld|jsonl|json|tar|tgz|zst|gz|zip))+$/i,
      "",
    )
    .replaceAll(/[_-]+/g, " ");
}

/** A name for a graph of files: of one, its own; of several, the words that their names begin with, or their folder. */
export function nameFromFiles(files: readonly string[]): string {
  const paths = files.map((file) => file.split("/"));
  const [first = [], ...others] = paths.map((path) => nameFromFile(path.at(-1) ?? "").split(" "));
  const differs = first.findIndex((word, place) => others.some((other) => other[place] !== word));
  const shared = first.slice(0, differs < 0 ? first.length : differs).join(" ");
  if (shared) return shared;
  const [folder = "", ...more] = paths.map((path) => path.slice(0, -1).join("/"));
  return more.every((other) => other === folder) ? nameFromFile(folder.split("/").at(-1) ?? "") : "";
}

/** What a table was read as: "Each row is an order: order 1, order 2 …. Of each is known: customer, product." */
export function tableWords(guess: Pick<Guess, "format" | "rows" | "header_cells">): string | null {
  if (guess.format !== "table") return null;
  const [first] = guess.rows;
  const things = [...new Set(guess.rows.map(([node]) => node))];
  const met = [...new Set(guess.rows.map(([, attribute = ""]) => attribute))].filter((one) => one !== "type");
  if (!first || !met.length) return null;
  // A column may be empty in the rows that are shown; the one before the first that is met names the things.
  const from = guess.header_cells.findIndex((cell) => met.includes(cell));
  const columns = guess.header_cells.filter((cell, at) => cell && (at > from || met.includes(cell)));
  const known = from >= 0 && met.every((one) => columns.includes(one)) ? columns : met;
  const kind = guess.rows.find(([, attribute]) => attribute === "type")?.[2];
  const what = kind ? `${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}` : "one thing";
  return (
    `Each row is ${what}, named here “${elide(first[0] ?? "", 40)}”${things[1] ? `, “${elide(things[1], 40)}”` : ""}. ` +
    `What is known of each: ${known.map((one) => one.replaceAll("_", " ")).join(", ")}.`
  );
}
