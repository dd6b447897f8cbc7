// Asks a language model something, and shows what it really said, how long that took, and what it cost.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  changesQuery,
  languageModelsQuery,
  modelTestQuery,
  testModel,
  usageQuery,
  type LanguageModel,
} from "@/api/languageModels";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice, Notice, Spinner } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { cost, count, milliseconds } from "@/view/format";

function Result({ test, model }: { test: string; model: LanguageModel }) {
  const client = useQueryClient();
  const { data, error } = useQuery(modelTestQuery(test));
  const ended = data !== undefined && data.state !== "waiting";
  useEffect(() => {
    // What it cost and that it was done are told on the page behind.
    if (!ended) return;
    for (const { queryKey } of [usageQuery, changesQuery, languageModelsQuery])
      void client.invalidateQueries({ queryKey });
  }, [ended, client]);
  if (error) return <ErrorNotice error={error} />;
  if (!data || data.state === "waiting") {
    return (
      <p className="waiting" role="status">
        <Spinner /> A worker asks <bdi>{model.name}</bdi>…
      </p>
    );
  }
  if (data.state === "failed") {
    return (
      <Notice tone="bad" urgent title={data.error?.message ?? "The test failed."}>
        {data.error?.hint}
        {data.endpoint_words && (
          <p>
            The endpoint says: <q className="mono">{data.endpoint_words}</q>
          </p>
        )}
      </Notice>
    );
  }
  return (
    <div className="stack tight" role="status">
      <p className="reply">{data.reply || "(an empty reply)"}</p>
      <p className="small muted tabular">
        {data.latency_ms !== null && milliseconds(data.latency_ms)}
        {data.usage &&
          ` · ${count(data.usage.prompt_tokens, "token")} read, ${count(data.usage.completion_tokens, "token")} written`}
        {typeof data.usage?.cost === "number" && ` · cost ${cost(data.usage.cost)}`}
      </p>
    </div>
  );
}

function Body({ model }: { model: LanguageModel }) {
  const [test, setTest] = useState<string | null>(null);
  const start = useAct(() => testModel(model.id), { done: (started) => setTest(started.test) });
  return (
    <div className="stack">
      <p>
        A worker asks <span className="mono">{model.model}</span> a short question. This costs a few tokens.
      </p>
      {test !== null && <Result key={test} test={test} model={model} />}
      {start.error && <ErrorNotice error={start.error} />}
      <div className="foot">
        <Button
          look="primary"
          isDisabled={start.isPending}
          onPress={() => {
            setTest(null);
            start.mutate();
          }}
        >
          {test === null ? "Ask it" : "Ask it again"}
        </Button>
      </div>
    </div>
  );
}

export function ModelTest({ model, onClose }: { model: LanguageModel | null; onClose: () => void }) {
  return (
    <Modal title={`Test ${model?.name ?? ""}`} isOpen={model !== null} onClose={onClose}>
      {model && <Body model={model} />}
    </Modal>
  );
}
