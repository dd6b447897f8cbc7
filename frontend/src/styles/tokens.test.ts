// Text must be readable in every theme: at least 4.5:1 on each surface it stands on.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync("src/styles/tokens.css", "utf8");

function tokensOf(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf("\n}", start));
  return new Map(
    [...block.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const SURFACES = ["--bg", "--surface", "--surface-2", "--accent-soft"];
const PAIRS: [string, string][] = [
  ...SURFACES.flatMap((on): [string, string][] => [
    ["--text", on],
    ["--text-muted", on],
    ["--accent-strong", on],
  ]),
  ["--text-muted", "--surface-3"],
  ["--on-accent", "--accent"],
  ["--on-accent", "--accent-strong"],
  ["--good", "--good-soft"],
  ["--warn", "--warn-soft"],
  ["--bad", "--bad-soft"],
  ["--good", "--surface"],
  ["--warn", "--surface"],
  ["--bad", "--surface"],
  ["--good", "--accent-soft"],
  ["--bad", "--accent-soft"],
  ["--text", "--graph-surface"],
  ["--text-muted", "--graph-surface"],
  ["--bad", "--graph-surface"],
];

describe.each([":root", ':root[data-theme="dark"]', ':root[data-theme="contrast"]'])("%s", (selector) => {
  const tokens = tokensOf(selector);
  it.each([1, 2, 3, 4])("the stroke of compared run %i stands out by 3:1", (place) => {
    const ratio = contrast(tokens.get(`--run-${place}`) ?? "", tokens.get("--graph-surface") ?? "");
    expect(ratio).toBeGreaterThanOrEqual(3);
  });
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("the colour of kind %i stands out by 3:1", (place) => {
    const ratio = contrast(tokens.get(`--kind-${place}`) ?? "", tokens.get("--graph-surface") ?? "");
    expect(ratio).toBeGreaterThanOrEqual(3);
  });
  it("the picture of a kind stands out by 3:1 from a star", () => {
    const ratio = contrast(tokens.get("--answer-ink") ?? "", tokens.get("--answer") ?? "");
    expect(ratio).toBeGreaterThanOrEqual(3);
  });
  it.each(PAIRS)("%s on %s", (text, surface) => {
    expect(contrast(tokens.get(text) ?? "", tokens.get(surface) ?? "")).toBeGreaterThanOrEqual(4.5);
  });
});

it("measures as the standard does", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});
