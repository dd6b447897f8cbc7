// Who may log in, and who belongs together. For administrators.
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/api/queries";
import { Groups } from "@/components/account/Groups";
import { People } from "@/components/account/People";
import { useTitle } from "@/components/kit/hooks";
import { EmptyState } from "@/components/kit/feedback";

export function PeoplePage() {
  useTitle("People");
  const { data: session } = useQuery(sessionQuery);
  const me = session?.user;
  return (
    <div className="page">
      <div className="page-head">
        <h1>People</h1>
      </div>
      {me?.role === "admin" ? (
        <>
          <People me={me.username} />
          <Groups />
        </>
      ) : (
        <EmptyState title="This is for administrators">
          An administrator makes people and groups. Your own password and tokens are on your account page.
        </EmptyState>
      )}
    </div>
  );
}
