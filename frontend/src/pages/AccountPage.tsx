// One's tokens; for administrators, the groups that graphs are shared with.
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/api/queries";
import { Groups } from "@/components/account/Groups";
import { Tokens } from "@/components/account/Tokens";
import { useTitle } from "@/components/kit/hooks";

export function AccountPage() {
  useTitle("People and tokens");
  const { data: session } = useQuery(sessionQuery);
  const admin = session?.user?.role === "admin";
  return (
    <div className="page">
      <div className="page-head">
        <h1>{admin ? "People and tokens" : "Your tokens"}</h1>
      </div>
      <Tokens />
      {admin && <Groups />}
    </div>
  );
}
