import { useQuery, useQueryClient } from "@tanstack/react-query";
import { NavLink, useNavigate } from "react-router";
import { keys, logOut } from "@/api/queries";
import { watchesQuery } from "@/api/tests";
import { webhooksQuery } from "@/api/webhooks";
import type { Session, Status } from "@/api/types";
import { ActMenu, Button } from "@/components/kit/controls";
import { count } from "@/view/format";
import { useSettings, type Theme } from "@/store/settings";
import { JobsTray } from "./JobsTray";
import { PLACES } from "./places";
import { WorkerDot } from "./WorkerDot";

const THEMES: Record<Theme, string> = {
  auto: "As the system",
  light: "Light",
  dark: "Dark",
  contrast: "High contrast",
};

/** Where the page stands that asks, and shows what was asked. */

interface Props {
  session: Session;
  status: Status | undefined;
  offline: boolean;
  onPalette: () => void;
  onKeys: () => void;
}

export function Header({ session, status, offline, onPalette, onKeys }: Props) {
  const { theme, set } = useSettings();
  const client = useQueryClient();
  const navigate = useNavigate();
  const watches = useQuery({ ...watchesQuery, enabled: session.user !== null });
  const unread = (watches.data ?? []).filter((one) => one.unread).length;
  const webhooks = useQuery({ ...webhooksQuery, enabled: session.user !== null });
  const failed = (webhooks.data?.results ?? []).filter((one) => one.reason).length;
  const news = [
    unread > 0 && `${count(unread, "watched answer")} changed`,
    failed > 0 && `${count(failed, "webhook")} turned off`,
  ];
  const you = ["You: " + (session.user?.username ?? ""), ...news.filter(Boolean)].join(", ");
  const leave = async () => {
    await logOut();
    client.clear();
    await navigate("/login");
  };
  return (
    <header className="bar">
      <NavLink to="/" className="brand" aria-label="Clew, ask a question">
        <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" className="brand-mark">
          <path d="M24.500 9.700A10 10 0 1 0 25 21.800" />
          <path d="M20.800 12.200a5.600 5.600 0 1 0 .2 7.200C22.700 17.200 25 16 29.500 16" />
        </svg>
        <span>Clew</span>
      </NavLink>
      <nav aria-label="Pages">
        {PLACES.filter((place) => place.inBar).map(({ id, label, to, also }) => (
          <NavLink
            key={id}
            to={to}
            className={({ isActive }) => (isActive || also?.test(location.pathname) === true ? "on" : "")}
          >
            {label}
          </NavLink>
        ))}
      </nav>
      <span className="grow" />
      <Button
        look="plain"
        className="palette-btn"
        icon="search"
        aria-label="Search or go to: Ctrl K"
        onPress={onPalette}
      >
        <kbd aria-hidden="true">Ctrl K</kbd>
      </Button>
      <JobsTray workers={status?.workers.jobs} />
      <WorkerDot status={status} offline={offline} />
      <ActMenu
        label="Theme"
        trigger={<Button look="plain" icon="theme" aria-label="Theme" />}
        acts={(Object.keys(THEMES) as Theme[]).map((id) => ({
          id,
          label: THEMES[id],
          checked: theme === id,
          onAction: () => set({ theme: id }),
        }))}
      />
      <ActMenu
        label="You"
        trigger={
          <Button look="plain" icon="user">
            <span className="sr-only">{you}</span>
            <span className="wide-only" aria-hidden="true">
              <bdi>{session.user?.username}</bdi>
            </span>
            {unread + failed > 0 && (
              <span className="unread-count tabular" aria-hidden="true">
                {unread + failed}
              </span>
            )}
          </Button>
        }
        acts={[
          {
            id: "role",
            label: `${session.user?.username ?? ""}, ${session.user?.role ?? ""}`,
            onAction: () => undefined,
          },
          ...(session.user?.role === "admin"
            ? [
                {
                  id: "models",
                  label: "Language models",
                  icon: "gear" as const,
                  onAction: () => void navigate("/models"),
                },
                {
                  id: "people",
                  label: "People and groups",
                  icon: "user" as const,
                  onAction: () => void navigate("/people"),
                },
              ]
            : []),
          {
            id: "watched",
            label: "Watched questions",
            icon: "history" as const,
            ...(unread > 0 && { end: `${unread} new` }),
            onAction: () => void navigate("/watched"),
          },
          {
            id: "account",
            label: "Your account",
            icon: "user" as const,
            ...(failed > 0 && { end: `${count(failed, "webhook")} off` }),
            onAction: () => void navigate("/account"),
          },
          { id: "keys", label: "Keys", end: "?", onAction: onKeys },
          {
            id: "out",
            label: "Log out",
            onAction: () => void leave().finally(() => client.invalidateQueries({ queryKey: keys.session })),
          },
        ]}
      />
    </header>
  );
}
