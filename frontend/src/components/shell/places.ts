// Where one can go: the places of the palette (Ctrl+K), and those of them that stand in the bar.
import type { IconName } from "@/components/kit/Icon";

export interface Place {
  id: string;
  icon: IconName;
  label: string;
  /** Below Clew's own address. */
  to: string;
  inBar?: boolean;
  /** Addresses of its pages that do not begin with its own. */
  also?: RegExp;
}

export const PLACES: readonly Place[] = [
  { id: "ask", icon: "ask", label: "Ask", to: "/", inBar: true, also: /^\/(runs|compare)/ },
  { id: "history", icon: "history", label: "History", to: "/history", inBar: true },
  { id: "review", icon: "check", label: "Review", to: "/review", inBar: true },
  { id: "new-queue", icon: "check", label: "New review queue", to: "/review?new=1" },
  {
    id: "graphs",
    icon: "graph",
    label: "Graphs",
    to: "/graphs",
    inBar: true,
    also: /^\/(tests|test-rounds)\//,
  },
  {
    ...{ id: "experiments", icon: "flask", label: "Experiments", to: "/experiments", inBar: true },
    also: /^\/(studies|leaderboard)(\/|$)/,
  },
  { id: "evaluate", icon: "flask", label: "Evaluate a method", to: "/experiments?evaluate=1" },
  { id: "studies", icon: "flask", label: "Studies", to: "/studies" },
  { id: "new-study", icon: "flask", label: "New study", to: "/studies/new" },
  { id: "leaderboard", icon: "table", label: "Leaderboard", to: "/leaderboard" },
  { id: "watched", icon: "history", label: "Watched questions", to: "/watched" },
  { id: "models", icon: "gear", label: "Language models", to: "/models" },
  { id: "account", icon: "user", label: "Your account: password, tokens, links", to: "/account" },
  { id: "people", icon: "user", label: "People and groups", to: "/people" },
  { id: "stored", icon: "graph", label: "What is stored", to: "/graphs?storage=1" },
  { id: "upload", icon: "upload", label: "Upload a graph", to: "/graphs?upload=1" },
];
