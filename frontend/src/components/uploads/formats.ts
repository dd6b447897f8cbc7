// What files can be read as, in words.
import type { Kind } from "@/api/uploads";
import type { Reading } from "@/api/types";
import type { Option } from "@/components/kit/controls";

const DETECT: Option = { id: "auto", label: "Detect", detail: "By file name and content" };

export const FORMATS: Record<Kind, readonly Option[]> = {
  graph: [
    DETECT,
    { id: "delimited", label: "Triples as text", detail: "head, relation, tail on each line" },
    { id: "tsv", label: "Triples, tab separated" },
    { id: "csv", label: "Triples, comma separated" },
    { id: "psv", label: "Triples, | separated" },
    { id: "parquet", label: "Parquet", detail: "A table with head, relation, tail" },
    { id: "property-csv", label: "Nodes and edges (CSV)", detail: "With attributes: GFM-RAG, Neo4j" },
    { id: "property-jsonl", label: "Nodes and edges (JSON lines)" },
    { id: "graphml", label: "GraphML" },
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
  ],
  questions: [
    DETECT,
    { id: "jsonl", label: "JSONL", detail: "One question object a line" },
    { id: "metaqa", label: "MetaQA", detail: "Question with [topic], tab, answers" },
    { id: "pathquestion", label: "PathQuestion" },
    { id: "relation-paths", label: "Relation paths", detail: "RoG's rational paths" },
    { id: "rog", label: "RoG (WebQSP, CWQ)" },
    { id: "grailqa", label: "GrailQA" },
    { id: "hotpotqa", label: "HotpotQA" },
    { id: "2wiki", label: "2WikiMultihopQA" },
    { id: "musique", label: "MuSiQue" },
  ],
};

/** The name of a format; an unknown one as it is. */
export function formatName(kind: Kind, id: string): string {
  return FORMATS[kind].find((one) => one.id === id)?.label ?? id;
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
  { id: "true", label: "Names the columns" },
  { id: "false", label: "Is a row like others" },
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
