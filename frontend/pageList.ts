// Writes the addresses of the pages beside index.html: the server answers every other address with 404.
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** The addresses that `src/pages/routes.tsx` names, such as `/runs/:id`. */
export function pagePaths(routes: string): string[] {
  const named = routes.matchAll(/\b(?:page\(\s*|path: )"([^"*]+)"/g);
  return ["/", ...Array.from(named, (found) => `/${found[1]}`.replace("//", "/"))];
}

export function pageList(): Plugin {
  return {
    name: "clew-page-list",
    apply: "build",
    generateBundle() {
      const paths = pagePaths(readFileSync("src/pages/routes.tsx", "utf8"));
      this.emitFile({ type: "asset", fileName: "pages.json", source: JSON.stringify(paths) });
    },
  };
}
