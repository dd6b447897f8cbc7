// The trajectories of a set, each before and after refinement.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import {
  trajectoriesQuery,
  trajectorySetQuery,
  type Trajectory,
  type TrajectorySet,
} from "@/api/trajectories";
import { Pages, usePage } from "@/components/kit/Pages";
import { useSettled } from "@/components/kit/hooks";
import { EmptyState, Loading, Notice, QueryState } from "@/components/kit/feedback";
import { useUrl } from "@/components/kit/url";
import { Page } from "@/components/kit/Page";
import { rowLine } from "@/view/agentActions";
import { count, integer, score } from "@/view/format";

const SIZE = 25;
const SETTLE_MS = 250;

function Row({ one }: { one: Trajectory }) {
  const kept = new Set(one.kept);
  const left = one.actions.length - kept.size;
  return (
    <li className="card trajectory">
      <header>
        <h2>{one.question}</h2>
        <span className="grow" />
        <span className="muted small tabular">
          F1 {score(one.score)} · {count(one.actions.length, "step")}
          {left > 0 && `, ${integer(left)} left out by refinement`}
        </span>
      </header>
      <ol className="body walk" aria-label="Steps">
        {one.actions.map((action, index) => (
          <li key={index} className={kept.has(index) ? "" : "gone"}>
            {kept.has(index) ? rowLine(action) : <del>{rowLine(action)}</del>}
          </li>
        ))}
      </ol>
      <p className="body small muted">
        {one.topics.join("; ")} ⟶ {one.answers.slice(0, 8).join("; ")}
        {one.answers.length > 8 && ` and ${integer(one.answers.length - 8)} more`}
      </p>
    </li>
  );
}

/** What is known of a set beside its name: who walked where, and how it ended where it made nothing. */
function About({ set }: { set: TrajectorySet }) {
  const { state, error } = set;
  return (
    <>
      <p className="muted small">
        {set.policy === "llm" ? "A language model" : "The offline guide"} on{" "}
        <Link to={`/graphs/${set.graph}`}>
          <bdi>{set.graph_name}</bdi>
        </Link>
        , <bdi>{set.question_set_name}</bdi>.
        {state === "done" &&
          " Struck out is what refinement leaves out: the rest is the shortest part that still answers the same."}
      </p>
      {error && (
        <Notice tone="bad" title={error.message}>
          {error.hint}
        </Notice>
      )}
      {!error && state === "cancelled" && (
        <Notice tone="info" title="It was stopped before it was done">
          Make it again under Trajectories in Experiments.
        </Notice>
      )}
      {(state === "queued" || state === "running") && <Loading what="trajectories, which are being made" />}
    </>
  );
}

function Found({ id }: { id: string }) {
  const [params, put] = useUrl();
  const q = params.get("q") ?? "";
  const text = useSettled(q, SETTLE_MS);
  const shortened = params.get("shortened") === "1";
  const [page, setPage] = usePage();
  const found = useQuery(trajectoriesQuery(id, { q: text, shortened, page, page_size: SIZE }));
  const rows = found.data?.results ?? [];
  return (
    <>
      <div className="row wrap">
        <input
          className="input trajectory-search"
          type="search"
          aria-label="Search the questions"
          placeholder="Search the questions"
          value={q}
          onChange={(event) => put({ q: event.target.value, page: null })}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={shortened}
            onChange={(event) => put({ shortened: event.target.checked ? "1" : null, page: null })}
          />
          only those that refinement made shorter
        </label>
      </div>
      <QueryState of={found} what="the trajectories" />
      {found.data && rows.length === 0 && (
        <EmptyState title="No trajectory matches">Search for something else.</EmptyState>
      )}
      <ul className="trajectories">
        {rows.map((one) => (
          <Row key={one.id} one={one} />
        ))}
      </ul>
      <Pages what="the trajectories" page={page} size={SIZE} data={found.data} onPage={setPage} />
    </>
  );
}

export function TrajectoriesPage() {
  const { id = "" } = useParams();
  const set = useQuery(trajectorySetQuery(id));
  if (!set.data) return <QueryState of={set} what="the trajectories" retry />;
  const { data } = set;
  return (
    <Page
      title={data.name}
      within={["Experiments", "/experiments"]}
      count={data.state === "done" ? data.trajectories : undefined}
    >
      <About set={data} />
      {data.state === "done" && <Found id={id} />}
    </Page>
  );
}
