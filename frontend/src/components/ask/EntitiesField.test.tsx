import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { entitiesQuery } from "@/api/queries";
import { EntitiesField } from "./EntitiesField";

const ENTITIES = ["Geneva", "Genoa", "Bern"].map((label, id) => ({
  id,
  label,
  kind: "entity",
  about: "",
  degree: 3,
  score: 1,
  source: "prefix",
}));

function open() {
  vi.stubGlobal("fetch", (url: string) => {
    const q = (new URL(url, "http://x").searchParams.get("q") ?? "").toLowerCase();
    const found = ENTITIES.filter(({ label }) => label.toLowerCase().startsWith(q));
    return Promise.resolve(new Response(JSON.stringify(found)));
  });
  const now: { names: readonly string[] } = { names: [] };
  function Field() {
    const [names, setNames] = useState<readonly string[]>([]);
    now.names = names;
    return (
      <EntitiesField
        label="All right answers"
        search={(text) => entitiesQuery("1", text)}
        value={names}
        onChange={setNames}
      />
    );
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Field />
      <button type="button">elsewhere</button>
    </QueryClientProvider>,
  );
  return now;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("takes several entities by keys, each once, and takes them off again", async () => {
  const now = open();
  const field = screen.getByRole("combobox", { name: "All right answers" });
  await userEvent.type(field, "gen");
  await screen.findByRole("option", { name: /Genoa/ });
  await userEvent.keyboard("{ArrowDown}{Enter}");
  await userEvent.type(field, "gen");
  await screen.findByRole("option", { name: /Geneva/ });
  expect(screen.queryByRole("option", { name: /Genoa/ })).not.toBeInTheDocument();
  await userEvent.keyboard("{Enter}");
  expect(now.names).toEqual(["Genoa", "Geneva"]);
  await userEvent.click(screen.getByRole("button", { name: "Remove Genoa" }));
  await userEvent.type(field, "{Backspace}");
  expect(now.names).toEqual([]);
});

it("offers nothing that the last text found and this one does not", async () => {
  open();
  const field = screen.getByRole("combobox");
  await userEvent.type(field, "gen");
  await screen.findByRole("option", { name: /Genoa/ });
  await userEvent.clear(field);
  await userEvent.type(field, "b");
  expect(screen.queryAllByRole("option")).toEqual([]);
  expect(await screen.findByRole("option", { name: /Bern/ })).toBeInTheDocument();
});

it("takes a name that was typed whole, and says which it does not know", async () => {
  const now = open();
  const field = screen.getByRole("combobox");
  await userEvent.type(field, "bern");
  await screen.findByRole("option");
  await userEvent.click(screen.getByRole("button", { name: "elsewhere" }));
  await waitFor(() => {
    expect(now.names).toEqual(["Bern"]);
  });
  await userEvent.type(field, "Atlantis");
  expect(await screen.findByText(/No entity of this graph is called “Atlantis”/)).toBeInTheDocument();
});
