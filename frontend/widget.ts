// Builds the notebook widget beside the pages: one ES module with all that it needs.
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";

export function widget(): Plugin {
  return {
    name: "clew-widget",
    apply: "build",
    closeBundle: async () => {
      await build({
        configFile: false,
        logLevel: "warn",
        resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
        build: {
          target: "es2022",
          outDir: "dist-widget",
          copyPublicDir: false,
          modulePreload: false,
          chunkSizeWarningLimit: 1000,
          rolldownOptions: {
            input: "src/graph/widget.ts",
            preserveEntrySignatures: "strict",
            output: { codeSplitting: false, entryFileNames: "widget.js" },
          },
        },
      });
    },
  };
}
