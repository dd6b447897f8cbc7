// How roles look. Colours come from the page's tokens, so the themes need nothing here.
import type { NodeSingular, StylesheetJson } from "cytoscape";
import { COLOURS, PICTURES } from "@/view/kinds";

export interface Palette {
  surface: string;
  text: string;
  muted: string;
  line: string;
  strong: string;
  accent: string;
  answer: string;
  answerLine: string;
  answerInk: string;
  bad: string;
  lit: string;
  /** Kinds of entities, the commonest first; told apart by their pictures too. */
  kinds: readonly string[];
  /** Compared runs, by place; UI: the Okabe-Ito colours. */
  runs: readonly string[];
}

/** Line styles of compared runs, by place, so that they differ without colour. None is dotted: that is doubt. */
const DASHES: readonly (readonly number[] | null)[] = [null, [11, 4], [4, 3], [12, 3, 2, 3]];
/** Pixels between the strokes of one fact. */
const STRAND = 9;

/** A custom property as an rgb colour. Cytoscape knows neither var() nor oklch(). */
function token(style: CSSStyleDeclaration, name: string): string {
  return style.getPropertyValue(name).trim();
}

export function readPalette(element: HTMLElement): Palette {
  const style = getComputedStyle(element);
  return {
    surface: token(style, "--graph-surface"),
    text: token(style, "--text"),
    muted: token(style, "--text-muted"),
    line: token(style, "--graph-line"),
    strong: token(style, "--graph-strong"),
    accent: token(style, "--accent"),
    answer: token(style, "--answer"),
    answerLine: token(style, "--answer-line"),
    answerInk: token(style, "--answer-ink"),
    bad: token(style, "--bad"),
    lit: token(style, "--accent-strong"),
    kinds: Array.from({ length: COLOURS }, (_, place) => token(style, `--kind-${place + 1}`)),
    runs: DASHES.map((_, place) => token(style, `--run-${place + 1}`)),
  };
}

const PATHS: Readonly<Record<string, string>> = PICTURES;

/** The picture of a kind as an image: one of ours, or a letter. */
function imageOf(picture: string, color: string): string {
  const path = PATHS[picture];
  const inside = path
    ? `<path d="${path}" fill="${color}" fill-rule="evenodd"/>`
    : `<text x="8" y="13" font-size="14" font-weight="bold" font-family="sans-serif" text-anchor="middle" fill="${color}">${picture}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 16 16">${inside}</svg>`;
  return `data:image/svg+xml;utf8,${encodeURIComponent(svg)}`;
}

/** Pictures of kinds, and for what is on a path the colour too. */
function kindLooks(p: Palette): StylesheetJson {
  const inkOf = (node: NodeSingular): string => {
    const role = node.data("role") as string;
    if (role === "topic") return p.surface;
    if (role === "answer") return p.answerInk;
    const colour = node.data("colour") as number | null;
    return (role === "faint" || colour === null ? null : p.kinds[colour]) ?? p.strong;
  };
  return [
    {
      selector: "node[?picture]",
      style: {
        "background-image": (node: NodeSingular) => imageOf(node.data("picture") as string, inkOf(node)),
        "background-width": "64%",
        "background-height": "64%",
        "background-fit": "none",
      },
    },
    {
      selector: "node[?picture][role = 'path'], node[?picture][role = 'window']",
      style: { width: 22, height: 22 },
    },
    {
      selector: "node[?picture][role = 'answer']",
      style: { "background-width": "40%", "background-height": "40%" },
    },
    ...p.kinds.map((color, place) => ({
      selector: `node[colour = ${place}][role = 'path'], node[colour = ${place}][role = 'window']`,
      style: { "border-color": color },
    })),
    {
      selector: "node[?pinned]",
      style: { "outline-color": p.text, "outline-width": 2, "outline-offset": 3, "outline-style": "solid" },
    },
  ];
}

/** A run's strokes in its colour and line style; strokes of one fact lie side by side like a rope's. */
function runStrokes(p: Palette): StylesheetJson {
  return [
    { selector: "edge[strokes > 1]", style: { "control-point-step-size": STRAND } },
    ...DASHES.map((_, strand) => ({
      selector: `edge[?bow][strand = ${strand}]`,
      style: { "control-point-distances": 56 + strand * STRAND },
    })),
    ...p.runs.map((color, place) => {
      const dash = DASHES[place];
      return {
        selector: `edge[?verified][stroke = ${place}]`,
        style: {
          width: 2.5,
          "line-color": color,
          "target-arrow-color": color,
          "source-arrow-color": color,
          "line-opacity": 1,
          ...(dash && { "line-style": "dashed" as const, "line-dash-pattern": [...dash] }),
        },
      };
    }),
    { selector: "edge[?faint][stroke >= 0]", style: { width: 1.5, "line-opacity": 0.75 } },
    { selector: "edge[?lit][stroke >= 0]", style: { width: 4 } },
  ];
}

export const FONT = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

export function stylesheet(p: Palette, fade: number): StylesheetJson {
  return [
    {
      selector: "node",
      style: {
        width: 18,
        height: 18,
        "background-color": p.surface,
        "border-width": 2,
        "border-color": p.strong,
        label: "data(short)",
        "font-family": FONT,
        "font-size": "data(font)",
        color: p.text,
        "text-valign": "bottom",
        "text-margin-y": 4,
        "text-background-color": p.surface,
        "text-background-opacity": 0.85,
        "text-background-padding": "1px",
        "text-background-shape": "roundrectangle",
        "min-zoomed-font-size": 7,
        "transition-property": "opacity",
        "transition-duration": fade,
      },
    },
    {
      selector: "node[kind != 'entity']",
      style: { width: 8, height: 8, "border-width": 1.5 },
    },
    { selector: "node[kind = 'literal']", style: { shape: "rectangle" } },
    { selector: "node[kind = 'cvt']", style: { shape: "diamond", label: "" } },
    {
      selector: "node[role = 'topic']",
      style: {
        width: "data(body)",
        height: "data(body)",
        "background-color": p.accent,
        "border-color": p.surface,
        "border-width": 3,
        "outline-color": p.accent,
        "outline-width": 2,
        "outline-offset": 0,
        "font-weight": "bold",
        "text-margin-y": 7,
      },
    },
    {
      selector: "node[role = 'answer']",
      style: {
        shape: "star",
        width: "data(body)",
        height: "data(body)",
        "background-color": p.answer,
        "border-color": p.answerLine,
        "border-width": 1.5,
        "font-weight": "bold",
      },
    },
    {
      selector: "node[mark = 'missed']",
      style: { "background-color": p.surface, "border-style": "dashed", "border-width": 2 },
    },
    {
      selector: "node[mark = 'extra']",
      style: { shape: "diamond", width: 20, height: 20, "border-color": p.bad, "border-width": 2.5 },
    },
    {
      selector: "node[role = 'faint']",
      style: { "border-color": p.line, color: p.muted, width: 13, height: 13, "border-width": 1.5 },
    },
    {
      selector: "node[role = 'window']",
      style: { "border-color": p.strong, color: p.muted, width: 14, height: 14, "border-width": 1.5 },
    },
    ...kindLooks(p),
    {
      selector: "node[?here]",
      style: {
        "outline-color": p.lit,
        "outline-width": 2.5,
        "outline-style": "dashed",
        "outline-offset": 4,
        "text-margin-y": 10,
        "font-weight": "bold",
        color: p.text,
      },
    },
    {
      selector: "edge",
      style: {
        width: 1.5,
        "line-color": p.strong,
        "target-arrow-color": p.strong,
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.8,
        "curve-style": "bezier",
        "control-point-step-size": 34,
        label: "data(short)",
        "font-family": FONT,
        "font-size": "data(font)",
        color: p.muted,
        "text-rotation": "autorotate",
        "text-background-color": p.surface,
        "text-background-opacity": 0.9,
        "text-background-padding": "2px",
        "min-zoomed-font-size": 8,
        "transition-property": "opacity",
        "transition-duration": fade,
      },
    },
    {
      // Two nodes of one column: bow the edge out, or it runs through everything between them.
      selector: "edge[?bow]",
      style: {
        "curve-style": "unbundled-bezier",
        "control-point-distances": 56,
        "control-point-weights": 0.5,
      },
    },
    {
      selector: "edge.crowd",
      style: { width: 1, "line-opacity": 0.45, "arrow-scale": 0.6 },
    },
    {
      selector: "edge.mass",
      style: { "curve-style": "haystack", "haystack-radius": 0, "target-arrow-shape": "none" },
    },
    {
      selector: "edge[?faint]",
      style: {
        "line-color": p.line,
        "target-arrow-color": p.line,
        "source-arrow-color": p.line,
        width: 1,
        "line-opacity": 0.6,
        "text-opacity": 0,
      },
    },
    {
      // Thin and grey, but plain: what is being looked at is neither held nor dropped.
      selector: "edge[?window]",
      style: { width: 1, "line-opacity": 0.8, "arrow-scale": 0.6, "text-opacity": 0.8 },
    },
    {
      selector: "edge[kind = 'jump']",
      style: { "line-style": "dashed", "target-arrow-shape": "none", "source-arrow-shape": "none" },
    },
    {
      selector: "edge[!verified]",
      style: {
        "line-style": "dotted",
        width: 2.5,
        "line-color": p.bad,
        "target-arrow-color": p.bad,
        "source-arrow-color": p.bad,
        "line-opacity": 1,
        "text-opacity": 1,
        color: p.bad,
      },
    },
    {
      selector: "edge[?lit]",
      style: {
        width: 3.5,
        "line-color": p.lit,
        "target-arrow-color": p.lit,
        "source-arrow-color": p.lit,
        color: p.text,
        "line-opacity": 1,
        "text-opacity": 1,
        "z-index": 9,
      },
    },
    ...runStrokes(p),
    { selector: "node[?dim]", style: { opacity: 0.28 } },
    { selector: "edge[?dim]", style: { opacity: 0.14, "text-opacity": 0 } },
    {
      selector: "node:selected",
      style: {
        ...{ "outline-color": p.lit, "outline-width": 3, "outline-offset": 3, "outline-style": "solid" },
        ...{ "overlay-color": p.accent, "overlay-opacity": 0.2, "overlay-padding": 9 },
        "overlay-shape": "ellipse",
        ...{ "text-opacity": 1, "font-weight": "bold", "text-margin-y": 10, color: p.text, opacity: 1 },
        "z-index": 15,
      },
    },
    {
      selector: "edge:selected",
      style: {
        ...{ width: 4.5, "line-color": p.lit, "target-arrow-color": p.lit, "source-arrow-color": p.lit },
        ...{ "line-opacity": 1, "text-opacity": 1, color: p.text, opacity: 1, "z-index": 15 },
      },
    },
    { selector: "node.hover", style: { label: "data(label)", "text-opacity": 1, "z-index": 20 } },
    {
      selector: "edge.hover",
      style: { label: "data(label)", "z-index": 20, "text-opacity": 1, "line-opacity": 1, color: p.text },
    },
    {
      selector: "node.hover",
      style: { "overlay-color": p.accent, "overlay-opacity": 0.1, "overlay-padding": 4 },
    },
    { selector: ".fresh", style: { opacity: 0 } },
  ];
}
