import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { ApiError, request } from "@/api/client";
import { useUploads, type Sent } from "@/store/uploads";
import { UploadDialog } from "./UploadDialog";

vi.mock("@/api/client", async (original) => ({
  ...(await original<typeof import("@/api/client")>()),
  request: vi.fn(),
}));

const NO_MODEL = { kinds: [], references: [], warnings: [], is_sampled: false, edges: [], languages: [] };
const TAKEN = new ApiError(409, "name_taken", "There is a graph named northwind.", "Choose another name.");
const GUESS = {
  ...{ name: "northwind_orders.csv", format: "", delimiter: null, header: null, encoding: "utf-8" },
  ...{ columns: {}, header_cells: [], titles: [], rows: [], raw: [], notes: [], problems: [], members: [] },
};

function add(...names: string[]) {
  const files = names.map((name): Sent => ({
    ...{ key: name, purpose: "graph", name, size: 1, sent: 1, state: "done", id: name },
    ...{ error: null, since: 0, from: null },
  }));
  useUploads.setState({ files });
}

function answer(refused: boolean) {
  vi.mocked(request).mockImplementation((verb, path) => {
    if (path === "uploads/preview") return Promise.resolve([{ ...GUESS, refused }]);
    if (path === "uploads/model") return Promise.resolve(NO_MODEL);
    if (path === "uploads/formats") return Promise.resolve({ graph: [], questions: [] });
    if (verb === "POST") return Promise.reject(TAKEN);
    return Promise.resolve({ results: [] });
  });
}

beforeEach(() => {
  useUploads.setState({ files: [] });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <UploadDialog isOpen onClose={vi.fn()} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
});

const name = () => screen.getByRole("textbox", { name: "Name" });

it("proposes the words that the names of all files share, until a person writes another", async () => {
  answer(false);
  add("northwind_orders.csv");
  await waitFor(() => expect(name()).toHaveValue("northwind orders"));
  add("northwind_orders.csv", "northwind_cities.csv");
  await waitFor(() => expect(name()).toHaveValue("northwind"));
  add("northwind_orders.csv", "categories.csv");
  await waitFor(() => expect(name()).toHaveValue(""));
  fireEvent.change(name(), { target: { value: "Trade" } });
  add("northwind_orders.csv");
  await waitFor(() => expect(name()).toHaveValue("Trade"));
});

it("says beside the name that it is taken, goes there, and says so no more when it is changed", async () => {
  answer(false);
  add("northwind.csv");
  const act = screen.getByRole("button", { name: "Import" });
  await waitFor(() => expect(act).toBeEnabled());
  fireEvent.click(act);
  const words = "There is a graph named northwind. Choose another name.";
  expect(await screen.findByText(words)).toBeVisible();
  expect(name()).toHaveFocus();
  expect(name()).toHaveAccessibleDescription(words);
  expect(screen.queryByRole("alert")).toBeNull();
  fireEvent.change(name(), { target: { value: "Trade" } });
  await waitFor(() => expect(screen.queryByText(words)).toBeNull());
});

it("imports no file that the preview refuses", async () => {
  answer(true);
  add("northwind.csv");
  expect(await screen.findByText("northwind_orders.csv cannot be read as it is")).toBeVisible();
  expect(screen.getByRole("button", { name: "Import" })).toBeDisabled();
});
