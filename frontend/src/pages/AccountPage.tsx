// One's own password and tokens.
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/api/queries";
import { Password } from "@/components/account/Password";
import { Tokens } from "@/components/account/Tokens";
import { Page } from "@/components/kit/Page";

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
      <Tokens />
      <Password />
    </Page>
  );
}
