// The frame of every page: header, skip link, toasts, palette, keys; and the way to log in.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Navigate, Outlet, useLocation, useNavigate } from "react-router";
import { onSignedOut } from "@/api/client";
import { isAway, keys, sessionQuery, statusQuery } from "@/api/queries";
import { FirstPassword } from "@/components/account/FirstPassword";
import { Button } from "@/components/kit/controls";
import { usePageKeys } from "@/components/kit/hooks";
import { ErrorNotice, Loading, Notice } from "@/components/kit/feedback";
import { Header } from "@/components/shell/Header";
import { KeysHelp } from "@/components/shell/KeysHelp";
import { Palette } from "@/components/shell/Palette";
import { Toasts } from "@/components/shell/Toasts";
import { useJobNews } from "@/live/hooks";
import { useJobStore } from "@/store/jobStore";
import { pressedKey } from "@/view/keys";
import { keepSending } from "@/store/unsent";

export function Shell() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const session = useQuery(sessionQuery);
  const user = session.data?.user ?? null;
  const inside = user !== null && !user.must_change_password;
  const status = useQuery({ ...statusQuery, enabled: inside });
  const [open, setOpen] = useState<"palette" | "keys" | null>(null);
  const crowded = useJobStore((state) => state.crowded);
  useJobNews(inside);
  const analyst = inside ? user.username : null;
  useEffect(() => (analyst === null ? undefined : keepSending(analyst)), [analyst]);

  useEffect(() => {
    onSignedOut(() => void client.invalidateQueries({ queryKey: keys.session }));
  }, [client]);

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && pressedKey(event).toLowerCase() === "k") {
        event.preventDefault();
        setOpen((now) => (now === "palette" ? null : "palette"));
      }
    };
    window.addEventListener("keydown", listen);
    return () => {
      window.removeEventListener("keydown", listen);
    };
  }, []);

  usePageKeys((event) => {
    if (!inside) return;
    if (pressedKey(event) === "?") setOpen("keys");
    if (pressedKey(event) === "a" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (pathname !== "/" && !pathname.startsWith("/runs/")) void navigate("/");
      else document.querySelector<HTMLInputElement>(".question-input")?.focus();
    }
  });

  if (session.isPending) return <Loading what="Clew" />;
  // A look that failed later says nothing of who is signed in, and what is being written here stays.
  if (!session.data) {
    return (
      <main className="alone">
        <ErrorNotice
          error={session.error}
          acts={<Button onPress={() => void session.refetch()}>Try again</Button>}
        />
      </main>
    );
  }
  if (!user) return <Navigate to="/login" replace state={{ from: pathname + search }} />;
  if (user.must_change_password) return <FirstPassword user={user} />;
  const close = () => {
    setOpen(null);
  };
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <Header
        session={session.data}
        status={status.data}
        offline={isAway(status.error)}
        onPalette={() => setOpen("palette")}
        onKeys={() => setOpen("keys")}
      />
      <main id="main" tabIndex={-1}>
        {crowded && (
          <Notice tone="warn" title="Clew is open in too many tabs or windows">
            This one shows no news of jobs until you close some. Reload it to see how things are.
          </Notice>
        )}
        <Outlet />
      </main>
      <Palette isOpen={open === "palette"} onClose={close} />
      <KeysHelp isOpen={open === "keys"} onClose={close} />
      <Toasts />
    </div>
  );
}
