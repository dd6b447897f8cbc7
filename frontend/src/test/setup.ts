import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// Most files of tests share a window and begin with an empty one.
if ("window" in globalThis) {
  localStorage.clear();
  sessionStorage.clear();
  window.history.replaceState(null, "", "/");
}

// jsdom has no media queries; nothing is preferred here. Some files run without a window.
const changeless = { addEventListener: () => undefined, removeEventListener: () => undefined };
if ("window" in globalThis)
  window.matchMedia = (media) => ({ matches: false, media, ...changeless }) as unknown as MediaQueryList;

// Nor does it scroll.
if ("Element" in globalThis) Element.prototype.scrollIntoView = () => undefined;

// A busy machine is slow; a test that fails there for that would say nothing.
configure({ asyncUtilTimeout: 8_000 });

afterEach(() => {
  cleanup();
});
