// The text that a graph holds: its passages, a search in them, and each with the facts it is the source of.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { passageQuery, passagesQuery, type PassageDetail, type PassageRow } from "@/api/passages";
import type { Graph } from "@/api/types";
import { Pages } from "@/components/kit/Pages";
import { Modal } from "@/components/kit/controls";
import { useSettled } from "@/components/kit/hooks";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { useUrl } from "@/components/kit/url";
import { Card } from "@/components/kit/Card";
import { Find } from "@/components/kit/TextField";
import { count, integer } from "@/view/format";
import { factOfHop } from "@/view/runEntities";

const SIZE = 10;

function Row({ row, onOpen }: { row: PassageRow; onOpen: () => void }) {
  return (
    <li>
      <button type="button" className="passage-row" onClick={onOpen}>
        <span className="row">
          <span className="passage-title grow">{row.title || row.name}</span>
          <span className="small muted tabular">{row.facts > 0 && count(row.facts, "fact")}</span>
        </span>
        <span className="small muted elide-2">{row.excerpt}</span>
        {row.document && row.document !== row.title && <span className="small muted">{row.document}</span>}
      </button>
    </li>
  );
}

function Facts({ passage }: { passage: PassageDetail }) {
  if (!passage.total) return <p className="muted">No fact names this passage as its source.</p>;
  return (
    <>
      <h3>
        {count(passage.total, "fact")} from here
        {passage.facts.length < passage.total && (
          <span className="muted small"> shown {integer(passage.facts.length)}</span>
        )}
      </h3>
      <ul className="step-facts">
        {passage.facts.map((hop) => {
          const fact = factOfHop(hop);
          return (
            <li key={fact.key}>
              <bdi>{fact.head.label}</bdi>{" "}
              <span className="rel" title={fact.relation}>
                → <bdi>{fact.label}</bdi>
              </span>{" "}
              <bdi>{fact.tail.label}</bdi>
              {Object.entries(hop.attributes).map(([name, value]) => (
                <span key={name} className="small muted">
                  {" "}
                  · {name}: {value}
                </span>
              ))}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Opened({ graph, id }: { graph: Graph["id"]; id: number }) {
  const { data: passage, error } = useQuery(passageQuery(graph, id));
  if (error) return <ErrorNotice error={error} />;
  if (!passage) return <Loading what="the passage" />;
  return (
    <div className="stack">
      <p className="small muted">
        {passage.document || passage.name}
        {/^https?:/.test(passage.url) && (
          <>
            {" · "}
            <a href={passage.url} target="_blank" rel="noreferrer">
              source
            </a>
          </>
        )}
      </p>
      {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- a long text is scrolled by keyboard */}
      <p className="passage-text whole" tabIndex={0}>
        {passage.text}
      </p>
      <Facts passage={passage} />
    </div>
  );
}

export function Passages({ graph }: { graph: Graph }) {
  const [params, put] = useUrl();
  const [find, setFind] = useState("");
  const [page, setPage] = useState(1);
  const q = useSettled(find.trim(), 250);
  const { data, error } = useQuery(passagesQuery(graph.id, q, page, SIZE));
  const at = params.get("passage");
  const opened = at !== null && /^\d+$/.test(at) ? Number(at) : null;
  const open = (id: number | null) => {
    put({ passage: id === null ? null : String(id) });
  };
  const title = data?.results.find((row) => row.id === opened)?.title;
  return (
    <Card
      title="Passages"
      id="passages"
      count={graph.passages}
      acts={
        <Find
          label="Find in the passages"
          value={find}
          onChange={(typed) => {
            setFind(typed);
            setPage(1);
          }}
        />
      }
    >
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Loading what="passages" />}
      {data?.count === 0 && <p className="body muted">No passage holds “{q}”. Try fewer letters.</p>}
      {data && data.count > 0 && (
        <ul className="passage-rows">
          {data.results.map((row) => (
            <Row key={row.id} row={row} onOpen={() => open(row.id)} />
          ))}
        </ul>
      )}
      <Pages what="passages" page={page} size={SIZE} data={data} onPage={setPage} />
      <Modal wide title={title ?? "Passage"} isOpen={opened !== null} onClose={() => open(null)}>
        {opened !== null && <Opened graph={graph.id} id={opened} />}
      </Modal>
    </Card>
  );
}
