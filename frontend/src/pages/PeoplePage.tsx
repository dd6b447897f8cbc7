// Who may log in, who belongs together, and what is shared by link. For administrators.
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/api/queries";
import { Groups } from "@/components/account/Groups";
import { People } from "@/components/account/People";
import { SharedLinks } from "@/components/account/SharedLinks";
import { EmptyState } from "@/components/kit/feedback";
import { Page } from "@/components/kit/Page";

export function PeoplePage() {
  const { data: session } = useQuery(sessionQuery);
  const me = session?.user;
  return (
    <Page title="People">
      {me?.role === "admin" ? (
        <>
          <People me={me.username} />
          <Groups />
          <SharedLinks all />
        </>
      ) : (
        <EmptyState title="This is for administrators">
          Administrators add people and groups. Your own password and tokens are on your account page.
        </EmptyState>
      )}
    </Page>
  );
}
