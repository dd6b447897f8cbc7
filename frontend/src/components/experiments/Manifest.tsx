// Everything needed to repeat a report.
import type { ReportDetail } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { copyText } from "@/store/files";

function flat(value: unknown, name = ""): [string, string][] {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flat(inner, name ? `${name}.${key}` : key));
  }
  return [[name, typeof value === "string" ? value : JSON.stringify(value)]];
}

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
      <dl className="facts manifest">
        {flat(report.manifest).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
