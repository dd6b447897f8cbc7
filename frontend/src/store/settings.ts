// What this browser remembers: theme, and how the last question was asked.
import { create } from "zustand";
import { persist } from "zustand/middleware";

const THEMES = ["auto", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

interface Settings {
  theme: Theme;
  graph: string | null;
  method: string | null;
  reasoner: string | null;
  budget: number | null;
  seed: number;
  speed: number;
  /** The language in which names of entities are shown; "" for that of the browser. */
  names: string;
  set: (change: Partial<Omit<Settings, "set">>) => void;
}

export const useSettings = create<Settings>()(
  persist(
    (set) => ({
      theme: "auto",
      graph: null,
      method: null,
      reasoner: null,
      budget: null,
      seed: 7,
      speed: 1,
      names: "",
      set: (change) => {
        set(change);
      },
    }),
    { name: "clew" },
  ),
);

/** Ask opens with this graph: it was asked, looked at to be asked, or made just now. */
export function rememberGraph(id: string | number): void {
  useSettings.getState().set({ graph: String(id) });
}

const YEAR_S = 365 * 24 * 3600;

/** The server reads the language of names from a cookie, which sockets send too; without one, from the browser's languages. */
export function chooseNames(language: string): void {
  useSettings.getState().set({ names: language });
  keepNamesCookie();
}

/** Cookies end before what else is remembered. */
export function keepNamesCookie(): void {
  const { names } = useSettings.getState();
  document.cookie = `names_language=${names}; path=/; max-age=${names ? YEAR_S : 0}; samesite=lax`;
}

const dark = "(prefers-color-scheme: dark)";
const contrast = "(prefers-contrast: more)";

function resolved(theme: Theme): string {
  if (theme !== "auto") return theme;
  if (window.matchMedia(contrast).matches) return "contrast";
  return window.matchMedia(dark).matches ? "dark" : "light";
}

/** The theme that an address asks for: `?theme=dark`. */
export function themeOf(search: string): Theme | null {
  const named = new URLSearchParams(search).get("theme");
  return THEMES.find((theme) => theme === named) ?? null;
}

/** Put the theme on the page, and keep it right when the system's changes. `given` stands above what is remembered. */
export function watchTheme(given: Theme | null = null): void {
  const apply = () => {
    document.documentElement.dataset.theme = resolved(given ?? useSettings.getState().theme);
  };
  apply();
  useSettings.subscribe(apply);
  for (const query of [dark, contrast]) window.matchMedia(query).addEventListener("change", apply);
}
