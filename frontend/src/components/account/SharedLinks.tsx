// Links by which answers are shared: what each shows, where, until when, and taking it back. For administrators all.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import {
  changeSharingPolicy,
  linksKey,
  linksQuery,
  revokeLink,
  sharingPolicyKey,
  sharingPolicyQuery,
  type SharedLink,
} from "@/api/shared";
import { SomeOf } from "@/components/kit/Choices";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import { Button } from "@/components/kit/controls";
import { Ago, QueryState } from "@/components/kit/feedback";
import { ListCard } from "@/components/kit/ListCard";
import { Pages } from "@/components/kit/Pages";
import { useAct } from "@/components/kit/useAct";

const SIZE = 50;

function Ends({ at }: { at: string | null }) {
  if (at === null) return <span className="muted">no end</span>;
  if (new Date(at) <= new Date()) return <span className="badge">expired</span>;
  return <Ago iso={at} />;
}

function Row({ link, all }: { link: SharedLink; all: boolean }) {
  const [asks, setAsks] = useState(false);
  const revoke = useAct(() => revokeLink(link.id), { changes: [linksKey], done: () => setAsks(false) });
  return (
    <tr>
      <td>
        <Link className="break" to={`/runs/${link.run}`}>
          <bdi>{link.question}</bdi>
        </Link>
        <div className="small muted break">
          {link.conversation ? "The conversation up to this question" : "This answer"}
          {link.origins.length > 0 && `, may be embedded by ${link.origins.join(", ")}`}
        </div>
      </td>
      {all && (
        <td>
          <bdi>{link.user}</bdi>
        </td>
      )}
      <td className="muted nowrap hide-narrow">
        {link.opened_at ? <Ago iso={link.opened_at} /> : "not yet"}
      </td>
      <td className="nowrap">
        <Ends at={link.expires_at} />
      </td>
      <td className="acts">
        <Button size="small" aria-label={`Revoke the link of ${link.question}`} onPress={() => setAsks(true)}>
          Revoke
        </Button>
        <ConfirmDelete
          title="Revoke the link?"
          name={link.question}
          act="Revoke"
          isOpen={asks}
          isBusy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={() => setAsks(false)}
        >
          Nobody can open it any more, nor pages that embed it. It cannot be brought back.
        </ConfirmDelete>
      </td>
    </tr>
  );
}

/** What administrators allow. */
function Policy() {
  const policy = useQuery(sharingPolicyQuery);
  const change = useAct(changeSharingPolicy, { changes: [sharingPolicyKey], failed: true });
  if (!policy.data) return <QueryState of={policy} what="what is allowed" />;
  const { enabled, endless } = policy.data;
  return (
    <div className="body">
      <SomeOf
        label="People may share"
        options={[
          {
            id: "enabled",
            label: "By link",
            detail: "While this is off, existing links do not open",
          },
          { id: "endless", label: "By link without an end", detail: "Otherwise every link expires" },
        ]}
        value={[...(enabled ? ["enabled"] : []), ...(endless ? ["endless"] : [])]}
        isDisabled={change.isPending}
        onChange={(ids) =>
          change.mutate({ enabled: ids.includes("enabled"), endless: ids.includes("endless") })
        }
      />
    </div>
  );
}

export function SharedLinks({ all = false }: { all?: boolean }) {
  const [page, setPage] = useState(1);
  const links = useQuery(linksQuery(page, all));
  return (
    <ListCard
      title="Shared links"
      of={links}
      what="links"
      rows={links.data?.results}
      count={links.data?.count}
      heads={[["Shows"], ...(all ? ([["By"]] as const) : []), ["Opened last", "hide-narrow"], ["Ends"]]}
      row={(link) => <Row key={link.id} link={link} all={all} />}
      empty={
        all
          ? "No answers are shared by link."
          : "None yet. An answer’s menu has “Share with a link”: people without an account can then read it."
      }
    >
      <Pages what="links" page={page} size={SIZE} data={links.data} onPage={setPage} byTime />
      {all && <Policy />}
    </ListCard>
  );
}
