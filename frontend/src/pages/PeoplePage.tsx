// Who may log in, and who belongs together. For administrators.
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/api/queries";
import { Groups } from "@/components/account/Groups";
import { People } from "@/components/account/People";
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
        </>
      ) : (
        <EmptyState title="This is for administrators">
          Administrators add people and groups. Your own password and tokens are on your account page.
        </EmptyState>
      )}
    </Page>
  );
}
