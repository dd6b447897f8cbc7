// Everything needed to repeat a report.
import type { ReportDetail } from "@/api/reportTypes";
import { FactList } from "@/components/kit/FactList";
import { Button } from "@/components/kit/controls";
import { copyText } from "@/store/files";

export function Manifest({ report }: { report: ReportDetail }) {
  return (
    <section className="card" aria-labelledby="manifest-title">
      <header>
        <h2 id="manifest-title">Manifest</h2>
        <span className="muted small">what it takes to repeat this</span>
        <span className="grow" />
        <Button
          look="plain"
          size="small"
          icon="copy"
          onPress={() => void copyText(JSON.stringify(report.manifest, null, 2), "Manifest")}
        >
          Copy
        </Button>
      </header>
      <div className="body">
        <FactList of={report.manifest} />
      </div>
    </section>
  );
}
