import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { configDefaults, defineConfig } from "vitest/config";
import { englishOnly } from "./englishOnly.ts";
import { pageList } from "./pageList.ts";
import { precompress } from "./precompress.ts";
import { widget } from "./widget.ts";

const port = process.env.CLEW_PORT ?? "8000";
const server = `http://127.0.0.1:${port}`;

const mocking = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => `src/${file}`)
  .filter((file) => readFileSync(file, "utf8").includes("vi.mock("));

export default defineConfig({
  plugins: [react(), englishOnly(), pageList(), precompress(), widget()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2022",
    // The server's Content-Security-Policy allows no inline scripts; every target has modulepreload.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // What every page needs comes in one file.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "base", tags: ["$initial"] }] } } },
    // That is about 900 kB, a quarter of it over the wire; Cytoscape and its layouts are a lazy chunk of 600 kB.
    chunkSizeWarningLimit: 1000,
  },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/api": { target: server, changeOrigin: false },
      "/ws": { target: server, ws: true },
    },
  },
  test: {
    environment: "jsdom",
    setupFiles: ["./src/test/setup.ts"],
    restoreMocks: true,
    css: false,
    testTimeout: 30_000,
    unstubGlobals: true,
    // To load the libraries and a DOM for each file takes most of a run. Only what replaces modules needs that.
    projects: [
      {
        extends: true,
        test: { name: "shared", isolate: false, exclude: [...configDefaults.exclude, ...mocking] },
      },
      { extends: true, test: { name: "alone", include: mocking } },
    ],
  },
});
