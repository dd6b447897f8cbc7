// The limit on wrong answers: how many of 100 may be wrong, what that leaves answered, and what it was calibrated on.
import { useQuery } from "@tanstack/react-query";
import { calibrateErrorLimit, errorLimitQuery, setErrorLimit } from "@/api/errorLimit";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Card } from "@/components/kit/Card";
import { Button, PickField } from "@/components/kit/controls";
import { Ago, ErrorNotice, Notice } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { calibrationText, calibrationWarning, limitOptions, NO_LIMIT } from "@/view/errorLimit";
import { percent } from "@/view/format";

export function LimitCard({ graph, mayChange }: { graph: Graph; mayChange: boolean }) {
  const { data: limit, error } = useQuery(errorLimitQuery(graph.id));
  const change = useAct((id: string) => setErrorLimit(graph.id, id === NO_LIMIT ? null : Number(id)), {
    changes: [keys.graphs],
  });
  const calibrate = useAct(() => calibrateErrorLimit(graph.id), { changes: [keys.graphs] });
  if (!limit) return error && <ErrorNotice error={error} />;
  const { at_most_wrong, guarantee, job } = limit;
  const options = limitOptions(limit);
  const value = at_most_wrong === null ? NO_LIMIT : String(at_most_wrong);
  const warning = guarantee && calibrationWarning(guarantee);
  return (
    <Card
      title="Limit on wrong answers"
      id="limit"
      acts={
        mayChange &&
        job === null &&
        (at_most_wrong !== null || limit.calibrated_at !== null) && (
          <Button size="small" isDisabled={calibrate.isPending} onPress={() => calibrate.mutate()}>
            {limit.calibrated_at === null ? "Calibrate" : "Calibrate again"}
          </Button>
        )
      }
    >
      <div className="body stack">
        {mayChange ? (
          <PickField
            label="Answer only if at most this many answers are wrong"
            options={options}
            value={value}
            onChange={(id) => change.mutate(id)}
          />
        ) : (
          <p>{options.find((one) => one.id === value)?.label}.</p>
        )}
        <p className="small muted">
          Answers that are not sure enough are shown as the best guess. A limit holds with a certainty of{" "}
          {percent(limit.certainty)} for questions like those it was calibrated on.
        </p>
        {job !== null && (
          <Notice tone="info" title="The limit is being calibrated">
            Questions whose answers are known are asked. Until that is done no answer counts as sure enough.
          </Notice>
        )}
        {at_most_wrong !== null && guarantee === null && job === null && (
          <Notice tone="warn" title="This version has not been calibrated">
            No answer counts as sure enough until it is.
          </Notice>
        )}
        {guarantee && (
          <p className="small">
            {calibrationText(guarantee)}{" "}
            {limit.calibrated_at && (
              <span className="muted">
                <Ago iso={limit.calibrated_at} />
              </span>
            )}
          </p>
        )}
        {warning && (
          <Notice
            tone="warn"
            title={guarantee.threshold === null ? "No answer is sure enough" : "Mostly written questions"}
          >
            {warning}
          </Notice>
        )}
        {[change.error, calibrate.error].map((one, at) => one && <ErrorNotice key={at} error={one} />)}
      </div>
    </Card>
  );
}
