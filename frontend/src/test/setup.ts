import "@testing-library/jest-dom/vitest";
import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

// jsdom has no media queries; nothing is preferred here. Some files run without a window.
const changeless = { addEventListener: () => undefined, removeEventListener: () => undefined };
if ("window" in globalThis)
  window.matchMedia = (media) => ({ matches: false, media, ...changeless }) as unknown as MediaQueryList;

afterEach(() => {
  cleanup();
});
