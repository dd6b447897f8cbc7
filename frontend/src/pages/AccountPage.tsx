// One's own password, tokens, webhooks and shared links.
import { useQuery } from "@tanstack/react-query";
import { graphsQuery, sessionQuery } from "@/api/queries";
import { Password } from "@/components/account/Password";
import { SharedLinks } from "@/components/account/SharedLinks";
import { Tokens } from "@/components/account/Tokens";
import { Webhooks } from "@/components/account/Webhooks";
import { NamesLanguage } from "@/components/graphs/NamesLanguage";
import { Card } from "@/components/kit/Card";
import { Page } from "@/components/kit/Page";

/** The languages of all graphs that one sees, those of most entities first. */
function Names() {
  const { data } = useQuery(graphsQuery);
  const counts = new Map<string, number>();
  for (const { tag, count } of data?.results.flatMap((graph) => graph.languages) ?? []) {
    counts.set(tag, (counts.get(tag) ?? 0) + count);
  }
  const languages = [...counts].map(([tag, count]) => ({ tag, count })).sort((a, b) => b.count - a.count);
  if (!languages.length) return null;
  return (
    <Card title="Names of entities">
      <div className="body">
        <NamesLanguage languages={languages} />
        <p className="hint">Entities without a name in this language keep the name that the graph has.</p>
      </div>
    </Card>
  );
}

export function AccountPage() {
  const { data: session } = useQuery(sessionQuery);
  return (
    <Page
      title="Your account"
      beside={
        <span className="muted">
          <bdi>{session?.user?.username}</bdi>, {session?.user?.role}
        </span>
      }
    >
      <Names />
      <Tokens />
      <Webhooks />
      <SharedLinks />
      <Password />
    </Page>
  );
}
