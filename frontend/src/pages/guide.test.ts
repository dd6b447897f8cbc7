// @vitest-environment node
// The guide "Add a page" (docs/add-a-page.md), followed to the letter in a copy of these pages: its types hold, the linter
// finds nothing, and its own test passes.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";

const COPIED = [
  "src",
  "package.json",
  "tsconfig.json",
  "tsconfig.app.json",
  "tsconfig.node.json",
  "vite.config.ts",
];
const ALSO = [
  "englishOnly.ts",
  "pageList.ts",
  "precompress.ts",
  "widget.ts",
  "eslint.config.js",
  ".prettierrc.json",
];
const MINUTES = 60_000;

let folder = "";

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The code of the guide by the place that it names. */
function blocks(): Map<string, string> {
  const guide = readFileSync("../docs/add-a-page.md", "utf8");
  return new Map(
    [...guide.matchAll(/^```\w+ (\S+)\n([^]*?)^```$/gm)].map(([, place, code]) => [place ?? "", code ?? ""]),
  );
}

/** Puts `line` behind the line of `file` that ends with `opening`. */
function insert(file: string, opening: string, line: string) {
  const text = readFileSync(file, "utf8");
  expect(text).toContain(opening);
  writeFileSync(file, text.replace(opening, opening + line));
}

/** A copy of the front end with the page of the guide. */
function follow(): { added: string[] } {
  folder = mkdtempSync(join(tmpdir(), "clew-page-"));
  for (const name of [...COPIED, ...ALSO]) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const code = blocks();
  const take = (place: string) => {
    const text = code.get(place);
    if (text === undefined) throw new Error(`The guide has no ${place}.`);
    code.delete(place);
    return text;
  };
  const src = join(folder, "src");
  writeFileSync(join(src, "api/queries.ts"), `\n${take("api")}`, { flag: "a" });
  insert(join(src, "pages/routes.tsx"), "const PAGES: RouteObject[] = [\n", take("routes"));
  insert(join(src, "components/shell/places.ts"), "PLACES: readonly Place[] = [\n", take("places"));
  for (const [file, text] of code) writeFileSync(join(src, "pages", file), text);
  return { added: [...code.keys()].map((file) => `src/pages/${file}`) };
}

it(
  "gives a page that its own test finds, with its types, its style and its form",
  { timeout: 5 * MINUTES },
  () => {
    const { added } = follow();
    expect(added).toEqual(["src/pages/QuestionSetsPage.tsx", "src/pages/QuestionSetsPage.test.tsx"]);
    const run = (tool: string, ...given: string[]) =>
      execFileSync(process.execPath, [`node_modules/${tool}`, ...given], { cwd: folder, encoding: "utf8" });
    const changed = [
      ...added,
      "src/api/queries.ts",
      "src/pages/routes.tsx",
      "src/components/shell/places.ts",
    ];
    run("prettier/bin/prettier.cjs", "--check", ...changed);
    run("eslint/bin/eslint.js", "--max-warnings", "0", ...changed);
    run("typescript/bin/tsc", "--noEmit", "-p", "tsconfig.app.json");
    expect(run("vitest/vitest.mjs", "run", "--root", folder, ...added.slice(1))).toMatch(/Tests .*1 passed/);
  },
);
