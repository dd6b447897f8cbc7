// What can be done with a run as a whole: its link, its comparison, its file.
import { useNavigate } from "react-router";
import { exportRun } from "@/api/queries";
import type { Run } from "@/api/types";
import { ActMenu, Button } from "@/components/kit/controls";
import { troubleOf } from "@/components/kit/feedback";
import { copyText, download, fileName } from "@/store/files";
import { toast } from "@/store/toasts";

export function RunActs({ run }: { run: Run }) {
  const navigate = useNavigate();
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
        ...(run.group
          ? [
              {
                id: "group",
                label: "Open the comparison",
                icon: "compare" as const,
                onAction: () => void navigate(`/compare/${run.group ?? ""}`),
              },
            ]
          : []),
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
      ]}
    />
  );
}
