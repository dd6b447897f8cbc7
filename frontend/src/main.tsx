import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider, createBrowserRouter } from "react-router";
import { makeCache } from "@/api/cache";
import { graphsQuery, runQuery, sessionQuery, statusQuery } from "@/api/queries";
import { readAhead } from "@/live/readAhead";
import { ROUTES } from "@/pages/routes";
import { keepNamesCookie, themeOf, watchTheme } from "@/store/settings";
import "@/styles/tokens.css";
import "@/styles/base.css";
import "@/components/kit/buttons.css";
import "@/components/kit/marks.css";
import "@/components/kit/kit.css";
import "@/components/kit/fields.css";
import "@/components/kit/overlays.css";
import "@/components/kit/shared.css";
import "@/components/kit/cards.css";
import "@/components/shell/shell.css";
import "@/components/account/account.css";
import "@/components/ask/ask.css";
import "@/components/ask/tabs.css";
import "@/components/run/run.css";
import "@/components/run/answers.css";
import "@/components/run/steps.css";
import "@/components/run/timeline.css";
import "@/components/run/steer.css";
import "@/components/graph/graph.css";
import "@/components/graph/inspector.css";
import "@/components/graphs/graphs.css";
import "@/components/explore/explore.css";
import "@/components/tests/tests.css";
import "@/components/uploads/uploads.css";
import "@/components/compare/compare.css";
import "@/components/compare/across.css";
import "@/components/experiments/experiments.css";
import "@/components/studies/studies.css";
import "@/components/review/review.css";
import "@/components/review/candidates.css";
import "@/components/models/models.css";

/** Whoever opens a shared link has no session, and a page of another site may let it keep nothing. */
const isShared = /^\/(shared|embed)\//.test(location.pathname);
if (!isShared) keepNamesCookie();
const client = makeCache();

/** Asks, before anything is drawn, for what the server had the browser send for already. What is wrong the page says. */
async function askFirst() {
  const { user } = await client.query(sessionQuery);
  if (!user || user.must_change_password) return;
  const run = /^\/runs\/([0-9a-f-]{36})$/.exec(location.pathname)?.[1];
  const asked: Promise<unknown>[] = [client.query(graphsQuery), client.query(statusQuery)];
  if (run) asked.push(readAhead(run), client.query(runQuery(run)));
  await Promise.all(asked);
}

if (!isShared) void askFirst().catch(() => undefined);
const router = createBrowserRouter(ROUTES);

const root = document.getElementById("root");
if (!root) throw new Error("index.html lacks #root");
watchTheme(isShared ? themeOf(location.search) : null);
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
