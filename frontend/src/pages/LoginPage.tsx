import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Navigate, useLocation } from "react-router";
import { keys, logIn, sessionQuery } from "@/api/queries";
import { Button } from "@/components/kit/controls";
import { useTitle } from "@/components/kit/hooks";
import { ErrorNotice, Spinner } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";

export function LoginPage() {
  useTitle("Log in");
  const client = useQueryClient();
  const location = useLocation();
  const session = useQuery(sessionQuery);
  const [username, setUsername] = useState("admin");
  const [password, setPassword] = useState("");
  const login = useMutation({
    mutationFn: () => logIn(username.trim(), password),
    onSuccess: (answer) => client.setQueryData(keys.session, answer),
    onError: () => setPassword(""),
  });
  if (session.data?.user) {
    const from = (location.state as { from?: string } | null)?.from ?? "/";
    return <Navigate to={from} replace />;
  }
  return (
    <main className="login">
      <form
        className="card login-card"
        onSubmit={(event) => {
          event.preventDefault();
          login.mutate();
        }}
      >
        <div className="brand big">
          <svg viewBox="0 0 32 32" width="36" height="36" aria-hidden="true" className="brand-mark">
            <path d="M24.500 9.700A10 10 0 1 0 25 21.800" />
            <path d="M20.800 12.200a5.600 5.600 0 1 0 .2 7.200C22.700 17.200 25 16 29.500 16" />
          </svg>
          <h1>Clew</h1>
        </div>
        <p className="muted">Questions over knowledge graphs, with every reasoning path in view.</p>
        {session.error ? <ErrorNotice error={session.error} /> : null}
        {login.error ? <ErrorNotice error={login.error} /> : null}
        <TextField
          label="User name"
          id="username"
          autoComplete="username"
          autoCapitalize="none"
          required
          value={username}
          onChange={setUsername}
        />
        <TextField
          label="Password"
          id="password"
          type="password"
          autoComplete="current-password"
          required
          // The one thing to do here.
          autoFocus
          value={password}
          onChange={setPassword}
        />
        <Button type="submit" look="primary" isDisabled={login.isPending}>
          {login.isPending ? <Spinner label="Logging in" /> : "Log in"}
        </Button>
        <p className="small muted">
          The first start prints the password of <strong>admin</strong> once, in the terminal where Clew runs.
        </p>
      </form>
    </main>
  );
}
