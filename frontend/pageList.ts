// Writes the addresses of the pages beside index.html: the server answers every other address with 404. Writes the
// OpenAPI schema, of which the types are made, there too: the server sends it as it is.
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
      this.emitFile({
        type: "asset",
        fileName: "openapi.json",
        source: readFileSync("node_modules/.openapi.json"),
      });
    },
  };
}
