// The settings of a method in asking, folded: the same as in an evaluation.
import { useQuery } from "@tanstack/react-query";
import { methodQuery } from "@/api/queries";
import type { Checkpoint } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { SettingsForm } from "@/components/kit/SettingsForm";
import { count } from "@/view/format";
import { settingsFor, type MethodChoice } from "@/view/methods";
import { changedSettings, type Typed } from "@/view/settingsForm";

interface Props {
  method: MethodChoice;
  checkpoint: Checkpoint | null;
  typed: Typed;
  onChange: (typed: Typed) => void;
}

export function MethodSettings({ method, checkpoint, typed, onChange }: Props) {
  const detail = useQuery(methodQuery(method.id));
  const settings = settingsFor(detail.data, checkpoint);
  const changed = Object.keys(changedSettings(settings, typed)).length;
  if (detail.data && settings.length === 0) return null;
  return (
    <details className="more method-settings" open={changed > 0 || undefined}>
      <summary>
        Settings of the method
        {changed > 0 && <span className="badge accent">{count(changed, "change")}</span>}
      </summary>
      {detail.error && <ErrorNotice error={detail.error} />}
      {detail.isPending && <Loading what="the settings" />}
      {settings.length < (detail.data?.options.length ?? 0) && (
        <p className="hint">Trained on this graph, the method has more settings.</p>
      )}
      <SettingsForm settings={settings} typed={typed} onChange={onChange} />
      {Object.keys(typed).length > 0 && (
        <Button size="small" onPress={() => onChange({})}>
          Use the defaults
        </Button>
      )}
    </details>
  );
}
