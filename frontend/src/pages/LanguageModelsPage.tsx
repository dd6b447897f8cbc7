// Language models: which there are, what they may cost, and whether they answer.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeModel,
  deleteModel,
  languageModelsQuery,
  modelKeys,
  type LanguageModel,
} from "@/api/languageModels";
import { keys, sessionQuery } from "@/api/queries";
import { ActMenu, Button } from "@/components/kit/controls";
import { Ago, EmptyState, troubleOf, QueryState } from "@/components/kit/feedback";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { useAct } from "@/components/kit/useAct";
import { Page } from "@/components/kit/Page";
import { Budgets } from "@/components/models/Budgets";
import { Changes } from "@/components/models/Changes";
import { ModelDialog } from "@/components/models/ModelDialog";
import { ModelTest } from "@/components/models/ModelTest";
import { cost, integer } from "@/view/format";
import { toast } from "@/store/toasts";

const ENVIRONMENT = 0;

function prices({ prompt_price, completion_price }: LanguageModel): string {
  if (prompt_price === null && completion_price === null) return "–";
  const one = (price: number | null) => (price === null ? "?" : cost(price));
  return `${one(prompt_price)} / ${one(completion_price)}`;
}

interface RowProps {
  model: LanguageModel;
  onTest: () => void;
  onChange: () => void;
  onDelete: () => void;
  onSet: (change: { default?: boolean; enabled?: boolean }) => void;
}

function Row({ model, onTest, onChange, onDelete, onSet }: RowProps) {
  const fixed = model.id === ENVIRONMENT;
  return (
    <tr>
      <td className="cell-main">
        <strong>
          <bdi>{model.name}</bdi>
        </strong>{" "}
        {model.default && <span className="badge good">default</span>}{" "}
        {!model.enabled && <span className="badge warn">switched off</span>}{" "}
        {fixed && (
          <span className="badge" title="Set by LLM_BASE_URL and LLM_MODEL; change it there">
            from the environment
          </span>
        )}
        <div className="small muted mono elide-2">{model.model}</div>
        <div className="small muted elide-2">{model.base_url}</div>
        {model.failure && (
          <div className="small bad-text">
            Failed <Ago iso={model.failure.at} />: <bdi>{model.failure.words}</bdi>
          </div>
        )}
      </td>
      <td className="muted hide-narrow">{model.key_set ? "key stored" : "no key"}</td>
      <td className="num hide-narrow">{model.context_length ? integer(model.context_length) : "–"}</td>
      <td className="num hide-narrow" title="Per million tokens: input / output">
        {prices(model)}
      </td>
      <td className="num hide-narrow">
        {model.requests_per_minute ? integer(model.requests_per_minute) : "no limit"}
      </td>
      <td className="acts">
        <span className="row">
          <Button size="small" aria-label={`Test ${model.name}`} onPress={onTest}>
            Test
          </Button>
          {!fixed && (
            <ActMenu
              label={`More for ${model.name}`}
              acts={[
                { id: "change", label: "Change…", icon: "gear", onAction: onChange },
                ...(model.default || !model.enabled
                  ? []
                  : [
                      {
                        id: "default",
                        label: "Make it the default",
                        icon: "check" as const,
                        onAction: () => onSet({ default: true }),
                      },
                    ]),
                {
                  id: "enabled",
                  label: model.enabled ? "Switch off" : "Switch on",
                  icon: model.enabled ? "minus" : "plus",
                  onAction: () => onSet({ enabled: !model.enabled }),
                },
                { id: "delete", label: "Delete…", icon: "trash", bad: true, onAction: onDelete },
              ]}
            />
          )}
        </span>
      </td>
    </tr>
  );
}

function DeleteModel({ model, onClose }: { model: LanguageModel | null; onClose: () => void }) {
  const remove = useAct((id: number) => deleteModel(id), {
    changes: [modelKeys, keys.status],
    done: onClose,
  });
  return (
    <ConfirmDelete
      name={model?.name ?? ""}
      isOpen={model !== null}
      error={remove.error}
      isBusy={remove.isPending}
      onConfirm={() => {
        if (model) remove.mutate(model.id);
      }}
      onClose={onClose}
    >
      Its key is deleted too. Runs that it answered keep its name and their cost.
    </ConfirmDelete>
  );
}

function Models() {
  const client = useQueryClient();
  const models = useQuery(languageModelsQuery);
  const [form, setForm] = useState<{ model: LanguageModel | null } | null>(null);
  const [testing, setTesting] = useState<LanguageModel | null>(null);
  const [deleting, setDeleting] = useState<LanguageModel | null>(null);
  const set = useMutation({
    mutationFn: ({ id, change }: { id: number; change: { default?: boolean; enabled?: boolean } }) =>
      changeModel(id, change),
    onSettled: () =>
      Promise.all([modelKeys, keys.status].map((queryKey) => client.invalidateQueries({ queryKey }))),
    onError: (error) => toast(`That could not be changed. ${troubleOf(error).message}`),
  });
  const list = models.data?.results ?? [];
  const add = (
    <Button look="primary" icon="plus" onPress={() => setForm({ model: null })}>
      Add a language model
    </Button>
  );
  return (
    <Page title="Language models" acts={list.length > 0 && add}>
      <QueryState of={models} what="language models" retry />
      {models.data && list.length === 0 && (
        <EmptyState title="No language model yet" act={add}>
          Clew answers without one. With one, it can read the evidence and write the answer, navigate graphs
          in words, and build graphs from text. Any OpenAI-compatible endpoint will do, also one on this
          machine.
        </EmptyState>
      )}
      {list.length > 0 && (
        <ResourceTable
          heads={[
            ["Name"],
            ["Key", "hide-narrow"],
            ["Context, tokens", "num hide-narrow"],
            ["Price of 1M tokens", "num hide-narrow"],
            ["Requests a minute", "num hide-narrow"],
          ]}
          acts
          card
        >
          {list.map((model) => (
            <Row
              key={model.id}
              model={model}
              onTest={() => setTesting(model)}
              onChange={() => setForm({ model })}
              onDelete={() => setDeleting(model)}
              onSet={(change) => set.mutate({ id: model.id, change })}
            />
          ))}
        </ResourceTable>
      )}
      <Budgets />
      <Changes />
      <ModelDialog
        key={form?.model?.id ?? "new"}
        model={form?.model ?? null}
        isOpen={form !== null}
        onClose={() => setForm(null)}
      />
      <ModelTest model={testing} onClose={() => setTesting(null)} />
      <DeleteModel model={deleting} onClose={() => setDeleting(null)} />
    </Page>
  );
}

export function LanguageModelsPage() {
  const { data: session } = useQuery(sessionQuery);
  if (session?.user?.role !== "admin") {
    return (
      <EmptyState title="For administrators">Ask whoever runs Clew to set up a language model.</EmptyState>
    );
  }
  return <Models />;
}
