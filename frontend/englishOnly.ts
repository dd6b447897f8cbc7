// The pages are English. What React Aria says to screen readers comes with it in 34 languages, a fifth of the first
// script: in the place of each other one stands English, so that no page mixes two.
import type { Plugin } from "vite";

const OTHER =
  /\/react-(?:aria|aria-components|stately)\/dist\/private\/intl\/.+\/(?!en-US)[a-z]{2}-[A-Z]{2}\.(m?js)$/;

export function englishOnly(): Plugin {
  return {
    name: "clew-english-only",
    load: (id) => {
      const [, ending] = OTHER.exec(id) ?? [];
      return ending ? `export { default } from "./en-US.${ending}";` : null;
    },
  };
}
