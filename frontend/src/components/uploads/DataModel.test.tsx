import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
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
      is_fixed: false,
    },
  ],
  references: [],
  warnings: [
    { table: "lakes.csv", message: "1 of 3 rows cannot be used.", rows: [{ line: 3, text: "a,b,c" }] },
  ],
  is_sampled: false,
  edges: [],
  languages: [],
};

const FROM = { uploads: ["u1"], sources: [] };

const sent = vi.fn();

function Form() {
  const edited = useDataModel(FROM, {}, null, true);
  sent(edited.sent);
  return <DataModelForm {...edited} />;
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
  const asked = show(() =>
    Response.json({ kinds: [], references: [], warnings: [], is_sampled: false, edges: [], languages: [] }),
  );
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

it("keeps what is shown, and sends the correction, when the server refuses it", async () => {
  const refusal = { error: { code: "config", message: "There is no such unit.", hint: "Leave it out." } };
  let asks = 0;
  show(() => (asks++ ? Response.json(refusal, { status: 400 }) : Response.json(MODEL)));
  const unit = await screen.findByLabelText("Unit of depth");
  expect(sent).toHaveBeenLastCalledWith(MODEL);
  fireEvent.change(unit, { target: { value: "m" } });
  fireEvent.blur(unit);
  expect(await screen.findByText("There is no such unit.")).toBeDefined();
  expect(screen.getByText("Vo is a lake: depth 4.")).toBeDefined();
  expect(sent).toHaveBeenLastCalledWith({
    kinds: [{ table: "lakes.csv", columns: [{ name: "depth", unit: "m" }] }],
    references: [],
  });
  // The server is not asked again for what was there before.
  fireEvent.click(screen.getByText("Back to what was inferred"));
  await waitFor(() => expect(sent).toHaveBeenLastCalledWith(MODEL));
  expect(screen.queryByText("There is no such unit.")).toBeNull();
});

it("offers references that are not in use, and says how many values match", async () => {
  const country = { table: "lakes.csv", column: "country", target: "lands.csv", target_column: "id" };
  const figures = { label: "country", matched: 1, filled: 2, unmatched: ["XX"], is_used: false };
  const lands = { ...MODEL.kinds[0], table: "lands.csv", label: "land", columns: [] };
  const asked = show(() =>
    Response.json({ ...MODEL, kinds: [...MODEL.kinds, lands], references: [{ ...country, ...figures }] }),
  );
  const used = await screen.findByRole("checkbox", { name: /country of lake.*refers to land/ });
  expect(screen.getByText("not used; 1 of 2 match; not found: XX")).toBeDefined();
  fireEvent.click(used);
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]).toEqual({ kinds: [], references: [{ ...country, label: "country", is_used: true }] });
});

it("names things by two columns", async () => {
  const [lake] = MODEL.kinds;
  const asked = show(() =>
    Response.json({ ...MODEL, kinds: [{ ...lake, name_candidates: ["name", "depth"] }] }),
  );
  await userEvent.click(await screen.findByRole("button", { name: /And by/ }));
  await userEvent.click(await screen.findByRole("option", { name: /^depth/ }));
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]).toEqual({ kinds: [{ table: "lakes.csv", name: ["name", "depth"] }], references: [] });
});

it("undoes by button, by key and from the list, and redoes", async () => {
  const asked = show(() => Response.json(MODEL));
  const unit = await screen.findByLabelText("Unit of depth");
  fireEvent.change(unit, { target: { value: "m" } });
  // While a text is typed the keys are the text's.
  fireEvent.keyDown(unit, { key: "z", ctrlKey: true });
  fireEvent.blur(unit);
  expect(await screen.findByText("Unit of depth (lake): m")).toBeDefined();
  fireEvent.keyDown(unit, { key: "z", ctrlKey: true });
  expect(screen.queryByText("1 correction")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Redo" }));
  fireEvent.click(await screen.findByRole("button", { name: "Undo Unit of depth (lake): m" }));
  expect(screen.queryByText("Unit of depth (lake): m")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  fireEvent.keyDown(unit, { key: "Z", ctrlKey: true, shiftKey: true });
  expect(screen.queryByText("Unit of depth (lake): m")).toBeNull();
  await waitFor(() => expect(asked).toHaveLength(2));
});

it("lists the first of many kinds without their fields, and draws those that are found", async () => {
  const kinds = Array.from({ length: 200 }, (_, at) => ({
    ...MODEL.kinds[0],
    table: `t${at}.csv`,
    label: `kind ${at}`,
  }));
  const reference = { column: "in", target: "t7.csv", target_column: "name", label: "in", is_used: true };
  const references = [{ ...reference, table: "t191.csv", matched: 1, filled: 1, unmatched: [] }];
  show(() => Response.json({ ...MODEL, kinds, references }));
  expect(await screen.findByText("kind 49")).toBeDefined();
  expect(screen.queryByText("kind 50")).toBeNull();
  expect(screen.queryByRole("img")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Show all 200 kinds" }));
  expect(screen.getByText("kind 199")).toBeDefined();
  expect(screen.queryByLabelText("Unit of depth")).toBeNull();
  const find = screen.getByLabelText("Find a kind or a column");
  fireEvent.change(find, { target: { value: "kind 191" } });
  expect(screen.getByRole("img", { name: "2 kinds; 1 reference between them" })).toBeDefined();
  expect(screen.getByRole("list", { name: "References" }).children).toHaveLength(1);
  fireEvent.change(find, { target: { value: "kind 19" } });
  expect(screen.getByRole("img", { name: "12 kinds; 1 reference between them" })).toBeDefined();
  fireEvent.change(find, { target: { value: "kind 5" } });
  expect(screen.queryByRole("list", { name: "References" })).toBeNull();
});

const attribute = (label: string, use: string) => ({
  ...{ name: label, label, type: "number", filled: 3, samples: ["770", "1690"], use },
});

it("shows the kinds, relations, attributes of edges and languages of a file that says itself what they are", async () => {
  const [kind] = MODEL.kinds;
  const kinds = [{ ...kind, table: "Airport", label: "Airport", name: ["label"], is_fixed: true }];
  const edges = [
    {
      ...{ table: "Airport", relation: "route", target: "Airport", count: 1200 },
      attributes: [attribute("distance", "measure"), attribute("since", "fact"), attribute("weight", "kept")],
    },
    { table: "Airport", relation: "near", target: "", count: 2, attributes: [] },
  ];
  const languages = [
    { tag: "en", count: 2 },
    { tag: "pt-BR", count: 1 },
  ];
  show(() => Response.json({ ...MODEL, kinds, edges, languages, warnings: [] }));
  expect(await screen.findByText("Names in English (2), Brazilian Portuguese (1)")).toBeInTheDocument();
  const relations = screen.getByRole("list", { name: "Relations between things" });
  expect(relations).toHaveTextContent("Airport → route → Airport1,200");
  expect(relations).toHaveTextContent(
    "distance number, on 3, such as 770, 1690: each edge becomes a thing of its own, from one end to the other, with its distance",
  );
  expect(relations).toHaveTextContent(
    "becomes the relation “route since” of the thing that the edge begins at",
  );
  expect(relations).toHaveTextContent("weight number, on 3, such as 770, 1690: is shown with the fact");
  expect(relations).toHaveTextContent("Airport → near → anything2");
  expect(screen.getByText(/RDF says itself what its kinds and names are/)).toBeInTheDocument();
  expect(screen.queryByLabelText("Named by")).not.toBeInTheDocument();
  expect(screen.queryByText(/Correct what is wrong/)).not.toBeInTheDocument();
});
