// Whose password was made for them chooses one before anything else.
import { useQueryClient } from "@tanstack/react-query";
import { keys, logOut } from "@/api/queries";
import type { User } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { useTitle } from "@/components/kit/hooks";
import { PasswordForm } from "./Password";

export function FirstPassword({ user }: { user: User }) {
  useTitle("Choose a password");
  const client = useQueryClient();
  return (
    <main className="login">
      <div className="card login-card">
        <h1>Choose a password</h1>
        <p className="muted">
          Welcome, <bdi>{user.username}</bdi>. The temporary password opens only this page; choose one of your
          own to go on.
        </p>
        <PasswordForm isAlone present="Temporary password" act="Continue" onDone={() => undefined} />
        <Button
          look="link"
          onPress={() => void logOut().finally(() => client.invalidateQueries({ queryKey: keys.session }))}
        >
          Log out
        </Button>
      </div>
    </main>
  );
}
