// The plots of a study: a metric over the budget, over the share of training questions, and what each epoch measured.
import { useState } from "react";
import type { StudyDetail } from "@/api/studies";
import { Card } from "@/components/kit/Card";
import { Pick } from "@/components/kit/controls";
import { integer, metricName, metricValue, percent } from "@/view/format";
import { KEY_METRICS } from "@/view/reports";
import { budgetCurves, efficiencyCurves, measuresOf, metricsOf, trainingCurves } from "@/view/studies";
import { LineChart } from "./LineChart";

const RECALLS = ["answer_recall", "path_recall", "avg_triples"];

export function Plots({ study }: { study: StudyDetail }) {
  const names = metricsOf(study.rows, [...KEY_METRICS, ...RECALLS]);
  const measures = measuresOf(study.cells);
  const [chosen, setMetric] = useState("macro_f1");
  const [measured, setMeasure] = useState<string | null>(null);
  const metric = names.includes(chosen) ? chosen : (names[0] ?? chosen);
  const measure = measures.find((one) => one === measured) ?? measures[0] ?? "loss";
  const budget = budgetCurves(study, metric);
  const efficiency = efficiencyCurves(study.rows, metric);
  const training = trainingCurves(study.cells, measure);
  if (!budget.length && !efficiency.length && !training.length) return null;
  const value = (y: number) => metricValue(metric, Number(y.toPrecision(6)));
  return (
    <Card
      title="Plots"
      wrap
      beside={
        <span className="muted small">
          bars are the deviation over the seeds, or the 95% interval over the questions where there is one
          seed
        </span>
      }
      acts={
        <>
          {(budget.length > 0 || efficiency.length > 0) && (
            <Pick
              label="Metric"
              value={metric}
              options={names.map((id) => ({ id, label: metricName(id) }))}
              onChange={setMetric}
            />
          )}
          {training.length > 0 && measures.length > 1 && (
            <Pick
              label="Measure of training"
              value={measure}
              options={measures.map((id) => ({ id, label: id.replaceAll("_", " ") }))}
              onChange={setMeasure}
            />
          )}
        </>
      }
    >
      <div className="body charts">
        {budget.length > 0 && (
          <LineChart
            title={`${metricName(metric)} by budget`}
            series={budget}
            xLabel="triples a question"
            yLabel={metricName(metric)}
            log
            xText={integer}
            yText={value}
          />
        )}
        {efficiency.length > 0 && (
          <LineChart
            title={`${metricName(metric)} by share of training questions`}
            series={efficiency}
            xLabel="share of the training questions"
            yLabel={metricName(metric)}
            log
            xText={percent}
            yText={value}
          />
        )}
        {training.length > 0 && (
          <LineChart
            title={`Training: ${measure.replaceAll("_", " ")}`}
            series={training}
            xLabel="epoch"
            yLabel={measure}
            yText={(y) => String(Number(y.toPrecision(3)))}
          />
        )}
      </div>
    </Card>
  );
}
