import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { DataModelForm, useDataModel } from "./DataModel";

const MODEL = {
  kinds: [
    {
      table: "lakes.csv",
      label: "lake",
      count: 2,
      name: ["name"],
      key: null,
      columns: [
        {
          name: "name",
          label: "name",
          type: "text",
          filled: 2,
          distinct: 2,
          samples: ["Vo"],
          unit: "",
          is_ignored: false,
        },
        {
          name: "depth",
          label: "depth",
          type: "number",
          filled: 2,
          distinct: 2,
          samples: ["4"],
          unit: "",
          is_ignored: false,
        },
      ],
      name_candidates: ["name"],
      examples: ["Vo is a lake: depth 4."],
    },
  ],
  references: [],
  warnings: [
    { table: "lakes.csv", message: "1 of 3 rows cannot be used.", rows: [{ line: 3, text: "a,b,c" }] },
  ],
  is_sampled: false,
};

const FROM = { uploads: ["u1"], sources: [] };

function Form() {
  return <DataModelForm {...useDataModel(FROM, {}, null, true)} />;
}

function show(answer: () => Response) {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    asked.push((JSON.parse(body) as { model: unknown }).model);
    return Promise.resolve(answer());
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Form />
    </QueryClientProvider>,
  );
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

it("shows what files hold, and asks again with what was corrected", async () => {
  const asked = show(() => Response.json(MODEL));
  expect(await screen.findByText("Vo is a lake: depth 4.")).toBeDefined();
  expect(screen.getByText("1 of 3 rows cannot be used.")).toBeDefined();
  expect(screen.queryByText("Back to what was inferred")).toBeNull();
  const unit = screen.getByLabelText("Unit of depth");
  fireEvent.change(unit, { target: { value: "m" } });
  expect(asked).toEqual([null]);
  fireEvent.blur(unit);
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]).toEqual({
    kinds: [{ table: "lakes.csv", columns: [{ name: "depth", unit: "m" }] }],
    references: [],
  });
  expect(await screen.findByText("1 correction")).toBeDefined();
  fireEvent.click(screen.getByText("Back to what was inferred"));
  await waitFor(() => expect(screen.queryByText("1 correction")).toBeNull());
});

it("shows nothing for files that hold facts alone", async () => {
  const asked = show(() => Response.json({ kinds: [], references: [], warnings: [], is_sampled: false }));
  await waitFor(() => expect(asked).toHaveLength(1));
  await waitFor(() => expect(screen.queryByText("Data model")).toBeNull());
});

it("says what is wrong with the request", async () => {
  show(() =>
    Response.json(
      { error: { code: "bad_config", message: "The model does not fit.", hint: "" } },
      { status: 400 },
    ),
  );
  expect(await screen.findByText(/The model does not fit/)).toBeDefined();
});
