import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { Person } from "@/api/people";
import { FirstPassword } from "@/components/account/FirstPassword";
import { NewPerson } from "@/components/account/NewPerson";
import { PersonForm } from "@/components/account/PersonForm";
import { PeoplePage } from "./PeoplePage";

const boss: Person = {
  ...{ id: 1, username: "boss", role: "admin", is_active: true, must_change_password: false },
  ...{ groups: ["Chemists"], last_seen_at: null, date_joined: "2026-01-05T12:00:00Z" },
  ...{ used: 2_000_000, quota: null, limit: null, login_locked_s: 0 },
};
const ann: Person = { ...boss, id: 2, username: "ann", role: "analyst", groups: [], quota: 5e9, limit: 5e9 };
const gone: Person = { ...boss, id: 3, username: "gone", role: "viewer", is_active: false };

type Answer = (body: unknown) => [status: number, body: unknown];

/** What was sent, by method and address. */
function serve(answers: Record<string, Answer> = {}, me = boss) {
  const sent: [string, unknown][] = [];
  vi.stubGlobal("fetch", (url: string, { method, body }: { method: string; body?: string }) => {
    const call = `${method} ${url.replace("/api/v1/", "")}`;
    const given: unknown = JSON.parse(body ?? "null");
    if (method !== "GET") sent.push([call, given]);
    const all: Record<string, Answer> = {
      "GET session": () => [200, { user: me, csrf: "x" }],
      "GET users": () => [200, [ann, boss, gone]],
      "GET groups?page_size=200": () => [200, { count: 0, results: [] }],
      ...answers,
    };
    const [status, answer] = all[call]?.(given) ?? [404, {}];
    return Promise.resolve(new Response(JSON.stringify(answer), { status }));
  });
  return sent;
}

function open(page = <PeoplePage />) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>{page}</MemoryRouter>
    </QueryClientProvider>,
  );
}

const row = async (name: string) =>
  (await screen.findByText(name)).closest("tr")?.textContent.replace(/ +/g, " ");

afterEach(() => {
  vi.unstubAllGlobals();
});

it("lists who may log in, what they are and what they keep", async () => {
  serve();
  open();
  expect(await row("boss")).toBe("boss you adminChemistsnever2.0 MBChange");
  expect(await row("ann")).toBe("ann analystnonenever2.0 MB of 5.00 GBChange");
  expect(await row("gone")).toBe("gone deactivatedviewerChemistsnever2.0 MBChange");
});

it("shows that wrong passwords have locked an account, and unlocks it", async () => {
  const locked = { ...ann, login_locked_s: 601 };
  let now = locked;
  const sent = serve({
    "GET users": () => [200, [now, boss]],
    "POST users/2/unlock": () => [200, (now = ann)],
  });
  open();
  expect(await row("ann")).toContain("ann log-in locked");
  await userEvent.click(screen.getByLabelText("Change ann"));
  expect(await screen.findByText("New devices cannot log in for 11 minutes")).toBeInTheDocument();
  await userEvent.click(screen.getByText("Unlock"));
  await waitFor(() => expect(screen.queryByText(/New devices cannot/)).toBeNull());
  expect(sent).toEqual([["POST users/2/unlock", null]]);
});

it("makes a person and shows the password once", async () => {
  const sent = serve({ "POST users": () => [201, { ...ann, username: "bea", password: "made-once" }] });
  const close = vi.fn();
  open(<NewPerson onClose={close} />);
  await userEvent.type(screen.getByLabelText("User name"), "bea");
  await userEvent.click(screen.getByLabelText(/^Analyst/));
  await userEvent.type(screen.getByLabelText("Storage limit, in GB"), "1.5");
  await userEvent.click(screen.getByText("Create the account"));
  expect(await screen.findByText("made-once")).toBeInTheDocument();
  expect(sent).toEqual([["POST users", { username: "bea", role: "analyst", quota: 1.5e9 }]]);
  await userEvent.click(screen.getByText("Done"));
  expect(close).toHaveBeenCalledOnce();
});

it("says what the server says when a change is refused", async () => {
  const error = { code: "last_admin", message: "No administrator would be left.", hint: "Make another." };
  const sent = serve({ "PATCH users/1": () => [409, { error }] });
  open(<PersonForm person={boss} me onClose={vi.fn()} />);
  expect(screen.queryByText("Deactivate")).not.toBeInTheDocument();
  await userEvent.click(screen.getByLabelText(/^Viewer/));
  await userEvent.click(screen.getByText("Save"));
  expect(await screen.findByText("No administrator would be left.")).toBeInTheDocument();
  expect(sent).toEqual([["PATCH users/1", { role: "viewer", quota: null }]]);
});

it("asks before it sends somebody away", async () => {
  const sent = serve({
    "POST users/2/deactivate": () => [200, { ...ann, is_active: false }],
  });
  open(<PersonForm person={ann} me={false} onClose={vi.fn()} />);
  await userEvent.click(screen.getByText("Deactivate"));
  expect(sent).toEqual([]);
  await userEvent.click(screen.getByText("Deactivate now"));
  await waitFor(() => {
    expect(sent).toEqual([["POST users/2/deactivate", null]]);
  });
});

it("lets in again who was sent away, with another password", async () => {
  serve({ "POST users/3/password": () => [200, { ...gone, is_active: true, password: "made-again" }] });
  open();
  await userEvent.click(await screen.findByLabelText("Change gone"));
  await userEvent.click(screen.getByText("Reactivate"));
  expect(await screen.findByText("made-again")).toBeInTheDocument();
});

it("is for administrators", async () => {
  serve({}, ann);
  open();
  expect(await screen.findByText("This is for administrators")).toBeInTheDocument();
});

it("takes another password for the one that was given, and says what is wrong with it", async () => {
  const error = { code: "invalid", message: "m", hint: "", fields: { new_password: ["Too common."] } };
  const sent = serve({ "POST session/password": () => [400, { error }] });
  open(<FirstPassword user={{ username: "ann", role: "analyst", must_change_password: true }} />);
  const go = screen.getByText("Continue");
  await userEvent.type(screen.getByLabelText("Temporary password"), "made");
  await userEvent.type(screen.getByLabelText("New password"), "secret-1");
  await userEvent.type(screen.getByLabelText("New password again"), "secret-");
  expect(go).toBeDisabled();
  expect(screen.getByText("The two passwords differ.")).toBeInTheDocument();
  await userEvent.type(screen.getByLabelText("New password again"), "1");
  await userEvent.click(go);
  expect(await screen.findByText("Too common.")).toBeInTheDocument();
  expect(sent).toEqual([["POST session/password", { old_password: "made", new_password: "secret-1" }]]);
});
