// A new study: of a preset, like another one, or from nothing.
import { useQuery } from "@tanstack/react-query";
import { questionSetsQuery, statusQuery } from "@/api/queries";
import { presetsQuery, studyQuery, type StudyDetail, type StudyPreset } from "@/api/studies";
import { StudyForm } from "@/components/studies/StudyForm";
import { Button, PickField } from "@/components/kit/controls";
import { Loading, Notice, QueryState } from "@/components/kit/feedback";
import { Page } from "@/components/kit/Page";
import { useUrl } from "@/components/kit/url";
import { methodLabel } from "@/components/kit/useMethodName";
import { draftOf, newVariant, type Draft } from "@/view/studies";
import type { Status } from "@/api/types";

const EMPTY = "empty";
const FIRST = "rel-rag-path";

function emptyDraft(status: Status, sets: readonly number[]): Draft {
  return {
    name: "",
    preset: "",
    sets,
    labels: {},
    train: [],
    cross: false,
    variants: [newVariant(FIRST, methodLabel(status.methods, FIRST))],
    shares: "100%",
    seeds: "0",
    split: "test",
    budget: String(status.budgets.default),
    limit: "",
    topics: "given",
    subgraphs: "own",
    answers: "all",
    reasoner: "extractive",
    baseline: "",
    llm: null,
  };
}

export const presetName = ({ paper, table, title }: StudyPreset) =>
  paper ? `${paper}, ${table}: ${title.toLowerCase()}` : table;

function draftOfPreset(preset: StudyPreset, sets: readonly number[]): Draft {
  return draftOf(preset.plan, { name: presetName(preset), preset: preset.id, sets, cross: preset.cross });
}

function draftLike(study: StudyDetail): Draft {
  const { plan } = study;
  const ids = (names: readonly string[]) =>
    study.sets
      .filter((one) => names.includes(one.name) && one.question_set !== null)
      .map((one) => one.question_set ?? 0);
  const sets = ids(study.sets.map((one) => one.name));
  const draft = draftOf(plan, {
    name: `${study.name} (again)`,
    preset: study.preset,
    sets,
    cross: plan.test.length > 0,
  });
  const labelled = study.sets.flatMap(({ question_set, labels }) =>
    question_set === null || labels === null ? [] : [[question_set, labels] as const],
  );
  return { ...draft, train: ids(plan.train), labels: Object.fromEntries(labelled) };
}

export function NewStudyPage() {
  const [params, put] = useUrl();
  const wanted = params.get("preset") ?? "";
  const like = params.get("like") ?? "";
  const given = params.get("sets")?.split(",").map(Number).filter(Boolean) ?? [];
  const status = useQuery(statusQuery);
  const sets = useQuery(questionSetsQuery(null));
  const presets = useQuery(presetsQuery);
  const other = useQuery({ ...studyQuery(like, "like"), enabled: like !== "" });
  const preset = presets.data?.find((one) => one.id === wanted);
  const waits = !status.data || !sets.data || !presets.data || (like !== "" && !other.data);
  const lacks = preset?.needs.includes("llm") && status.data?.llm.configured === false;
  const draft = () => {
    if (!status.data) return null;
    if (other.data) return draftLike(other.data);
    return preset ? draftOfPreset(preset, given) : emptyDraft(status.data, given);
  };
  const start = waits ? null : draft();
  return (
    <Page title="New study" within={["Studies", "/studies"]} wide>
      <PickField
        label="Begin with"
        className="preset-pick"
        options={[
          { id: EMPTY, label: "An empty study" },
          ...(presets.data ?? []).map((one) => ({
            id: one.id,
            label: [one.paper, one.table].filter(Boolean).join(", "),
            detail: one.title,
            end: one.needs.includes("llm") ? "language model" : one.needs.includes("passages") ? "texts" : "",
          })),
        ]}
        value={preset?.id ?? EMPTY}
        onChange={(id) => put({ preset: id === EMPTY ? null : id, like: null })}
      />
      <QueryState of={sets} what="question sets" retry />
      {like !== "" && <QueryState of={other} what="the study" retry />}
      {preset && (
        <Notice tone={lacks ? "warn" : "plain"} title={presetName(preset)}>
          {preset.about}
          {preset.cross && " Choose two question sets or more."}
          {preset.needs.includes("passages") && " It needs a graph that holds texts."}
          {lacks && " No language model is set up: an admin can add one, under Language models."}
        </Notice>
      )}
      {!preset && !like && presets.data && (
        <p className="muted">
          Begin with a paper’s table, or write down your own: every variant is trained on every set, share and
          seed, and tested.{" "}
          <Button look="link" onPress={() => put({ preset: "methods" })}>
            Five methods side by side
          </Button>{" "}
          is a good first one.
        </p>
      )}
      {start && sets.data && status.data ? (
        <StudyForm key={`${wanted} ${like}`} start={start} sets={sets.data.results} status={status.data} />
      ) : (
        !sets.error && <Loading what="methods" />
      )}
    </Page>
  );
}
