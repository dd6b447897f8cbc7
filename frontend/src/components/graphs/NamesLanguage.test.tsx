import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { chooseNames, useSettings } from "@/store/settings";
import { NamesLanguage } from "./NamesLanguage";

const LANGUAGES = [
  { tag: "de", count: 3 },
  { tag: "pt-BR", count: 1 },
];

function open() {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <NamesLanguage languages={LANGUAGES} />
    </QueryClientProvider>,
  );
}

afterEach(() => chooseNames(""));

it("follows the browser until a language is chosen, and goes back to it", async () => {
  open();
  await userEvent.click(screen.getByRole("button", { name: /Names shown in/ }));
  expect(screen.getAllByRole("option").map((one) => one.textContent)).toEqual([
    "Browser's languageAmerican English, else as the graph has them",
    "German3 entities",
    "Brazilian Portuguese1 entity",
  ]);
  await userEvent.click(screen.getByRole("option", { name: /German/ }));
  expect(useSettings.getState().names).toBe("de");
  expect(document.cookie).toContain("names_language=de");
  await userEvent.click(screen.getByRole("button", { name: /Names shown in/ }));
  await userEvent.click(screen.getByRole("option", { name: /Browser/ }));
  expect(document.cookie).not.toContain("names_language");
});

it("keeps a chosen language that this graph lacks", () => {
  chooseNames("fr");
  open();
  expect(screen.getByRole("button", { name: /Names shown in/ }).textContent).toContain("French");
});
