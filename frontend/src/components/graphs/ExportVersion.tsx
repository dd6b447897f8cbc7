// A version as a file that other programs read, and that can be imported again.
import { ApiError } from "@/api/client";
import { exportVersion, type ExportFormat, type Version } from "@/api/datasets";
import type { Graph } from "@/api/types";
import { ActMenu, Button } from "@/components/kit/controls";
import { download, fileName, saveFile } from "@/components/kit/files";
import { useAct } from "@/components/kit/useAct";
import { toast } from "@/store/toasts";

const FORMATS: readonly { id: ExportFormat; label: string; ending: string }[] = [
  { id: "tsv", label: "As TSV: facts and attributes", ending: "tsv" },
  { id: "parquet", label: "As Parquet: facts and attributes", ending: "parquet" },
  { id: "graphml", label: "As GraphML: facts and attributes", ending: "graphml" },
  { id: "cytoscape", label: "As Cytoscape JSON: facts and attributes", ending: "json" },
  { id: "facts", label: "As TSV of three columns: facts only", ending: "tsv" },
];

export function ExportVersion({ graph, version }: { graph: Graph; version: Version }) {
  const save = useAct(
    async ({ id, ending }: (typeof FORMATS)[number]) => {
      const name = fileName(`${graph.name} ${version.version}`, ending);
      try {
        download(name, await exportVersion(graph.id, version, id, id === "facts"));
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "bad_config") throw error;
        const saveRest = () => void saveFile(name, exportVersion(graph.id, version, id, true), "The version");
        toast(error.message, { act: { label: "Export without", run: saveRest }, ms: 15_000 });
      }
    },
    { failed: "The version could not be exported." },
  );
  return (
    <ActMenu
      label={`Export version ${version.version}`}
      acts={FORMATS.map((format) => ({
        id: format.id,
        label: format.label,
        onAction: () => save.mutate(format),
      }))}
      trigger={
        <Button size="small" isDisabled={save.isPending}>
          {save.isPending ? "Exporting" : "Export"}
        </Button>
      }
    />
  );
}
