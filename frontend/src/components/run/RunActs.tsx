// What can be done with a run as a whole: its link, its comparison, its file.
import { useNavigate } from "react-router";
import { downloadProvenance, exportRun } from "@/api/queries";
import type { Run } from "@/api/types";
import { ActMenu, Button } from "@/components/kit/controls";
import { troubleOf } from "@/components/kit/feedback";
import { useKeep } from "@/components/tests/useKeep";
import { useWatch } from "@/components/tests/useWatch";
import { copyText, download, fileName, saveFile } from "@/components/kit/files";
import { toast } from "@/store/toasts";

interface Props {
  run: Run;
  explore?: string | undefined;
  /** Share it with people who have no account. */
  onShare: () => void;
}

export function RunActs({ run, explore, onShare }: Props) {
  const navigate = useNavigate();
  const keep = useKeep(run);
  const watch = useWatch(run);
  return (
    <ActMenu
      label="This run"
      trigger={<Button look="plain" size="small" icon="more" aria-label="Link and export of this run" />}
      acts={[
        {
          id: "link",
          label: "Copy the link",
          icon: "link",
          onAction: () => void copyText(window.location.href, "Link"),
        },
        run.state === "done" && {
          id: "share",
          label: "Share with a link",
          icon: "upload",
          onAction: onShare,
        },
        explore && {
          id: "explore",
          label: "Explore from the evidence",
          icon: "graph",
          onAction: () => void navigate(explore),
        },
        keep && { id: "keep", label: "Keep as a test", icon: "flask", onAction: keep },
        watch && { id: "watch", label: "Tell me when this changes", icon: "history", onAction: watch },
        run.group && {
          id: "group",
          label: "Open the comparison",
          icon: "compare",
          onAction: () => void navigate(`/compare/${run.group ?? ""}`),
        },
        {
          id: "json",
          label: "Download the run (JSON)",
          icon: "download",
          onAction: () =>
            void exportRun(run.id).then(
              (content) => {
                download(fileName(`${run.question} run`, "json"), JSON.stringify(content, null, 2));
              },
              (error: unknown) => {
                toast(`The run could not be exported. ${troubleOf(error).message}`);
              },
            ),
        },
        {
          id: "provenance",
          label: "Download its provenance (PROV-O)",
          icon: "download",
          onAction: () =>
            void saveFile(
              fileName(`${run.question} provenance`, "ttl"),
              downloadProvenance(run.id),
              "The provenance",
            ),
        },
      ]}
    />
  );
}
