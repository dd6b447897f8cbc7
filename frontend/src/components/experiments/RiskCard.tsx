// How confidence and errors go together: the risk-coverage curve and the reliability diagram, drawn and as tables.
import type { VerifiedGuarantee } from "@/api/errorLimit";
import { Notice } from "@/components/kit/feedback";
import { Card } from "@/components/kit/Card";
import { LineChart } from "@/components/studies/LineChart";
import { calibrationText, heldText } from "@/view/errorLimit";
import { integer, percent } from "@/view/format";
import { coverageAt, ERRORS, reliabilitySeries, riskSeries, type NamedRisk } from "@/view/risk";

function Coverage({ all }: { all: readonly NamedRisk[] }) {
  return (
    <table className="table dense">
      <caption className="sr-only">Share of the questions that can be answered, by share of errors</caption>
      <thead>
        <tr>
          <th>Wrong answers, at most</th>
          {all.map(({ label }) => (
            <th key={label} className="num">
              {all.length > 1 ? <bdi>{label}</bdi> : "Questions answered"}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ERRORS.map((error) => (
          <tr key={error}>
            <th scope="row">{percent(error)}</th>
            {all.map(({ label, risk }) => (
              <td key={label} className="num">
                {percent(coverageAt(risk, error))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Reliability({ of: { label, risk }, named }: { of: NamedRisk; named: boolean }) {
  return (
    <table className="table dense">
      <caption className={named ? "small muted" : "sr-only"}>
        {named ? <bdi>{label}</bdi> : "Share of right answers, by confidence"}
      </caption>
      <thead>
        <tr>
          <th>Confidence</th>
          <th className="num">Answers</th>
          <th className="num">On average</th>
          <th className="num">Right</th>
        </tr>
      </thead>
      <tbody>
        {risk.bins.map(({ low, high, n, confidence, right }) => (
          <tr key={low}>
            <th scope="row">
              {percent(low)} to {percent(high)}
            </th>
            <td className="num">{integer(n)}</td>
            <td className="num">{percent(confidence)}</td>
            <td className="num">{percent(right)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const TONES = { kept: "info", broken: "bad", unclear: "warn", "nothing answered": "warn" } as const;

interface Props {
  all: readonly NamedRisk[];
  /** Of the graph's limit on wrong answers, and whether it was kept. */
  guarantee?: VerifiedGuarantee | null;
}

export function RiskCard({ all, guarantee }: Props) {
  const answered = all.filter(({ risk }) => risk.curve.length > 0);
  if (!all.length) return null;
  return (
    <Card
      title="Confidence and errors"
      beside={
        <span className="muted small">
          an answer is wrong if it is not the whole answer set and nothing else
        </span>
      }
    >
      {guarantee && (
        <div className="body">
          <Notice
            tone={TONES[guarantee.measured.held]}
            title={`Limit: at most ${guarantee.at_most_wrong} of 100 wrong`}
          >
            {heldText(guarantee)} {calibrationText(guarantee)}
          </Notice>
        </div>
      )}
      {answered.length === 0 ? (
        <p className="body muted">No question was answered, so no confidence can be right or wrong.</p>
      ) : (
        <>
          <div className="body charts">
            <LineChart
              title="Wrong answers by questions answered, the surest first"
              series={riskSeries(answered)}
              xLabel="share of the questions that is answered"
              yLabel="share of these answers that is wrong"
              xText={percent}
              yText={percent}
            />
            <LineChart
              title="Right answers by confidence"
              series={reliabilitySeries(answered)}
              xLabel="confidence"
              yLabel="share of right answers"
              xText={percent}
              yText={percent}
            />
          </div>
          <details className="more body">
            <summary>The figures as tables</summary>
            <div className="charts">
              <div className="scroll-x">
                <Coverage all={answered} />
              </div>
              <div className="scroll-x">
                {answered.map((one) => (
                  <Reliability key={one.label} of={one} named={answered.length > 1} />
                ))}
              </div>
            </div>
          </details>
        </>
      )}
    </Card>
  );
}
