// How the questions of a report went, as one bar and as counts that filter the list below.
import type { Outcome, ReportDetail } from "@/api/reportTypes";
import { integer, percent } from "@/view/format";
import { OUTCOMES, OUTCOME_ABOUT, OUTCOME_TONES } from "@/view/reports";

const ORDER = Object.keys(OUTCOMES) as Outcome[];

interface Props {
  report: ReportDetail;
  /** Outcomes on show in the list, with commas. */
  shown: string;
  onShow: (outcomes: string) => void;
}

export function Outcomes({ report, shown, onShow }: Props) {
  const all = ORDER.reduce((sum, outcome) => sum + report.outcomes[outcome], 0);
  if (!all) return null;
  return (
    <div className="outcomes">
      <div className="outcome-bar" aria-hidden="true">
        {ORDER.map((outcome) => (
          <span key={outcome} className={`o-${outcome}`} style={{ flexGrow: report.outcomes[outcome] }} />
        ))}
      </div>
      <div className="outcome-keys" role="group" aria-label="Show questions that are">
        {ORDER.map((outcome) => {
          const size = report.outcomes[outcome];
          return (
            <button
              key={outcome}
              type="button"
              className={`badge ${OUTCOME_TONES[outcome]} outcome-key`}
              title={`${OUTCOME_ABOUT[outcome]}. ${percent(size / all)}`}
              aria-pressed={shown.split(",").includes(outcome)}
              disabled={size === 0}
              onClick={() => onShow(shown === outcome ? "" : outcome)}
            >
              {OUTCOMES[outcome]} <span className="tabular">{integer(size)}</span>
            </button>
          );
        })}
      </div>
    </div>
  );
}
