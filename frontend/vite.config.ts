import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { englishOnly } from "./englishOnly.ts";
import { pageList } from "./pageList.ts";
import { precompress } from "./precompress.ts";

const port = process.env.CLEW_PORT ?? "8000";
const server = `http://127.0.0.1:${port}`;

export default defineConfig({
  plugins: [react(), englishOnly(), pageList(), precompress()],
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
  },
});
