// Everything needed to repeat a report.
import type { ReportDetail } from "@/api/reportTypes";
import { FactList } from "@/components/kit/FactList";
import { Button } from "@/components/kit/controls";
import { Card } from "@/components/kit/Card";
import { copyText } from "@/components/kit/files";

export function Manifest({ report }: { report: ReportDetail }) {
  return (
    <Card
      title="Manifest"
      beside={<span className="muted small">what it takes to repeat this</span>}
      acts={
        <Button
          look="plain"
          size="small"
          icon="copy"
          onPress={() => void copyText(JSON.stringify(report.manifest, null, 2), "Manifest")}
        >
          Copy
        </Button>
      }
    >
      <div className="body">
        <FactList of={report.manifest} />
      </div>
    </Card>
  );
}
