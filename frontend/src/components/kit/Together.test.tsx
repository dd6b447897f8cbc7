import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Together } from "./Together";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Promises that are kept when the test says so, by name. */
const answers = new Map<string, (value: string) => void>();

function Part({ name, then }: { name: string; then?: string }) {
  const { data } = useQuery({
    queryKey: [name],
    queryFn: () => new Promise<string>((resolve) => answers.set(name, resolve)),
  });
  return (
    <>
      <p>{data ?? `no ${name} yet`}</p>
      {data && then && <Part name={then} />}
    </>
  );
}

const shown = () => screen.getByTestId("parts").parentElement?.dataset.shown;
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function show() {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Together what="the parts">
        {(ready) => (
          <div data-testid="parts">
            <Part name="first" then="third" />
            <Part name="second" />
            {ready && "ready"}
          </div>
        )}
      </Together>
    </QueryClientProvider>,
  );
  await wait(100);
}

it("shows its parts when the last of them has its answer, also to what an answer made them ask", async () => {
  await show();
  expect(shown()).toBe("false");
  expect(screen.getByRole("status")).toHaveTextContent("Loading the parts");
  answers.get("first")?.("one");
  answers.get("second")?.("two");
  await wait(100);
  expect(screen.getByText(/no third yet/)).toBeInTheDocument();
  expect(shown()).toBe("false");
  answers.get("third")?.("three");
  await wait(100);
  expect(shown()).toBe("true");
  expect(screen.getByText("ready", { exact: false })).toBeInTheDocument();
  expect(screen.queryByRole("status")).toBeNull();
});

it("shows them as they are when an answer does not come", async () => {
  await show();
  answers.get("first")?.("one");
  await wait(3_900);
  expect(shown()).toBe("false");
  await wait(4_100);
  expect(shown()).toBe("true");
  expect(screen.getByText("no second yet")).toBeInTheDocument();
});
