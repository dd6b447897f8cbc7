// Which columns refer to which kinds, and how many of their values are found there; candidates can be switched on.
import { useState } from "react";
import type { DataModel, Reference, ReferenceChange } from "@/api/dataModel";
import { Button } from "@/components/kit/controls";
import { matchText, pickReference } from "@/view/dataModel";
import { count } from "@/view/format";

const MOST = 20;

interface Props {
  model: DataModel;
  /** Without it those in use are only shown. */
  onChange?: ((change: ReferenceChange) => void) | undefined;
}

/** "customer_id of order → customer". */
function Way({ reference, labels }: { reference: Reference; labels: ReadonlyMap<string, string> }) {
  return (
    <span className="wrap-anywhere">
      <bdi className="strong">{reference.column}</bdi> of{" "}
      <bdi>{labels.get(reference.table) ?? reference.table}</bdi> <span aria-hidden="true">→</span>
      <span className="sr-only">refers to</span>{" "}
      <bdi className="strong">{labels.get(reference.target) ?? reference.target}</bdi>
    </span>
  );
}

export function References({ model, onChange }: Props) {
  const [all, setAll] = useState(false);
  const labels = new Map(model.kinds.map((kind) => [kind.table, kind.label]));
  const listed = onChange ? model.references : model.references.filter((one) => one.is_used);
  if (listed.length === 0) return null;
  return (
    <div className="stack tight">
      <h4>References</h4>
      <ul className="model-references" aria-label="References">
        {(all ? listed : listed.slice(0, MOST)).map((one) => (
          <li key={[one.table, one.column, one.target, one.target_column].join("\n")}>
            {onChange ? (
              <label className="check">
                <input
                  type="checkbox"
                  checked={one.is_used}
                  onChange={(event) => onChange({ ...pickReference(one), is_used: event.target.checked })}
                />
                <Way reference={one} labels={labels} />
              </label>
            ) : (
              <Way reference={one} labels={labels} />
            )}
            <span className="small muted wrap-anywhere">
              {!one.is_used && "not used; "}
              {matchText(one)}
            </span>
          </li>
        ))}
      </ul>
      {!all && listed.length > MOST && (
        <Button look="link" className="small" onPress={() => setAll(true)}>
          Show all {count(listed.length, "reference")}
        </Button>
      )}
    </div>
  );
}
