// What stands above every page of a queue: its name and parts, how far it is, and how far people agree.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { DialogTrigger, Popover, Dialog } from "react-aria-components";
import { Link, NavLink } from "react-router";
import { queueStatisticsQuery, type QueueStatistics } from "@/api/reviewFigures";
import type { Queue } from "@/api/review";
import { Button } from "@/components/kit/controls";
import { Ago, Progress, QueryState } from "@/components/kit/feedback";
import { count, integer, percent } from "@/view/format";
import { REASONS } from "@/view/review";

const figure = (value: number | null | undefined) => (value == null ? "–" : value.toFixed(2));
const share = (value: number | null | undefined) => (value == null ? "–" : percent(value));

function People({ data, overlap }: { data: QueueStatistics; overlap: number }) {
  if (!data.people.length) return <p className="muted">Nobody has judged anything yet.</p>;
  return (
    <table className="table dense">
      <thead>
        <tr>
          <th>Analyst</th>
          <th className="num">Questions</th>
          <th className="num" title="Reserved for them now">
            Reserved
          </th>
          <th>Last</th>
        </tr>
      </thead>
      <tbody>
        {data.people.map((one) => (
          <tr key={one.analyst}>
            <td>{one.analyst}</td>
            <td className="num">{integer(one.judged)}</td>
            <td className="num">{integer(one.reserved)}</td>
            <td className="muted">{one.last ? <Ago iso={one.last} /> : "–"}</td>
          </tr>
        ))}
      </tbody>
      <caption className="small muted">{count(overlap, "analyst")} for each question</caption>
    </table>
  );
}

function Pairs({ data }: { data: QueueStatistics }) {
  if (!data.pairs.length) return <p className="muted">No two analysts have judged the same candidate yet.</p>;
  return (
    <table className="table dense">
      <thead>
        <tr>
          <th>Pair</th>
          <th className="num">Paths</th>
          <th className="num">Same</th>
          <th className="num" title="Cohen's">
            κ
          </th>
        </tr>
      </thead>
      <tbody>
        {data.pairs.map((one) => (
          <tr key={one.analysts.join(" ")}>
            <td>{one.analysts.join(" and ")}</td>
            <td className="num">{integer(one.paths)}</td>
            <td className="num">{share(one.percent)}</td>
            <td className="num">{figure(one.kappa)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Figures({ data, queue }: { data: QueueStatistics; queue: Queue }) {
  const { agreement, reasons } = data;
  const named = Object.entries(reasons)
    .filter(([, times]) => times > 0)
    .sort(([, a], [, b]) => b - a);
  return (
    <div className="figures">
      <h3>Agreement on {count(agreement.paths, "candidate")} judged by two or more</h3>
      <dl className="figure-row">
        <div title="Share of pairs of verdicts that are the same">
          <dt>same</dt>
          <dd className="tabular">{share(agreement.percent)}</dd>
        </div>
        <div title="Krippendorff's alpha, nominal: 1 is perfect, 0 is chance">
          <dt>α</dt>
          <dd className="tabular">{figure(agreement.alpha)}</dd>
        </div>
        <div
          title={`Fleiss' kappa, over the candidates that ${agreement.raters ?? "as many"} analysts judged`}
        >
          <dt>Fleiss κ</dt>
          <dd className="tabular">{figure(agreement.fleiss)}</dd>
        </div>
      </dl>
      <h3>By pair</h3>
      <Pairs data={data} />
      <h3>By person</h3>
      <People data={data} overlap={queue.overlap} />
      {named.length > 0 && (
        <>
          <h3>Reasons given</h3>
          <p className="row wrap">
            {named.map(([reason, times]) => {
              const known = REASONS.find((one) => one.reason === reason);
              return (
                <span key={reason} className="badge" title={known?.about}>
                  {known?.label ?? reason} <span className="tabular">{integer(times)}</span>
                </span>
              );
            })}
          </p>
        </>
      )}
    </div>
  );
}

interface Props {
  queue: Queue;
  /** Buttons and menus of the page. */
  children?: ReactNode;
}

export function ReviewBar({ queue, children }: Props) {
  const figures = useQuery(queueStatisticsQuery(queue.id));
  const judged = queue.items - queue.progress.open;
  const found = figures.data?.agreement;
  const { mine } = queue.progress;
  // Those that nobody has decided.
  const split = figures.data ? Math.max(0, figures.data.disagreements - figures.data.adjudicated) : null;
  return (
    <header className="review-bar">
      <Link to="/review" className="muted">
        Review
      </Link>
      <h1
        className="elide"
        title={`${queue.graph_name}, version ${queue.version} · ${queue.question_set_name}`}
      >
        <bdi>{queue.name}</bdi>
      </h1>
      <nav className="review-parts" aria-label="Parts of this queue">
        <NavLink to={`/review/${queue.id}`} end>
          Judge
        </NavLink>
        <NavLink to={`/review/${queue.id}/disagreements`}>
          Disagreements <span className="tabular muted">{split === null ? "" : integer(split)}</span>
        </NavLink>
        <NavLink to={`/review/${queue.id}/training`}>Training</NavLink>
        <NavLink to={`/review/${queue.id}/events`}>Activity</NavLink>
      </nav>
      <span className="grow" />
      <div
        className="review-progress"
        title={`You judged ${integer(mine)}. A question is complete when ${count(queue.overlap, "analyst")} judged it.`}
      >
        <Progress label={`Progress of ${queue.name}`} share={queue.items ? judged / queue.items : 1} />
        <span className="small muted tabular nowrap">
          {queue.overlap > 1 && `${integer(mine)} by you · `}
          {integer(judged)} of {integer(queue.items)} {queue.overlap > 1 ? "complete" : "judged"}
        </span>
      </div>
      <DialogTrigger>
        <Button size="small" icon="user">
          <span className="sr-only">Agreement and people: </span>
          <span className="tabular">
            {share(found?.percent)} <span className="muted">same</span> · α {figure(found?.alpha)}
          </span>
        </Button>
        <Popover className="popover figures-popover" placement="bottom end">
          <Dialog className="figures-dialog" aria-label="Agreement and people">
            <QueryState of={figures} what="the figures" />
            {figures.data && <Figures data={figures.data} queue={queue} />}
          </Dialog>
        </Popover>
      </DialogTrigger>
      {children}
    </header>
  );
}
