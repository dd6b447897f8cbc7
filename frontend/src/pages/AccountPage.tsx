// One's own password and tokens.
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/api/queries";
import { Password } from "@/components/account/Password";
import { Tokens } from "@/components/account/Tokens";
import { useTitle } from "@/components/kit/hooks";

export function AccountPage() {
  useTitle("Your account");
  const { data: session } = useQuery(sessionQuery);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Your account</h1>
        <span className="muted">
          <bdi>{session?.user?.username}</bdi>, {session?.user?.role}
        </span>
      </div>
      <Tokens />
      <Password />
    </div>
  );
}
