import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider, createBrowserRouter } from "react-router";
import { makeCache } from "@/api/cache";
import { Loading } from "@/components/kit/feedback";
import { AskPage } from "@/pages/AskPage";
import { LoginPage } from "@/pages/LoginPage";
import { BrokenPage, NotFoundPage } from "@/pages/NotFoundPage";
import { Shell } from "@/pages/Shell";
import { watchTheme } from "@/store/settings";
import "@/styles/tokens.css";
import "@/styles/base.css";
import "@/components/kit/kit.css";
import "@/components/kit/shared.css";
import "@/components/shell/shell.css";
import "@/components/account/account.css";
import "@/components/ask/ask.css";
import "@/components/run/run.css";
import "@/components/graph/graph.css";
import "@/components/graphs/graphs.css";
import "@/components/uploads/uploads.css";
import "@/components/compare/compare.css";
import "@/components/experiments/experiments.css";
import "@/components/review/review.css";
import "@/components/models/models.css";

const client = makeCache();
const ask = <AskPage />;
const router = createBrowserRouter([
  { path: "/login", element: <LoginPage />, errorElement: <BrokenPage /> },
  {
    element: <Shell />,
    errorElement: <BrokenPage />,
    hydrateFallbackElement: <Loading what="Clew" />,
    children: [
      { index: true, element: ask },
      { path: "runs/:id", element: ask },
      {
        path: "compare/:id",
        lazy: async () => ({ Component: (await import("@/pages/ComparePage")).ComparePage }),
      },
      {
        path: "history",
        lazy: async () => ({ Component: (await import("@/pages/HistoryPage")).HistoryPage }),
      },
      { path: "graphs", lazy: async () => ({ Component: (await import("@/pages/GraphsPage")).GraphsPage }) },
      {
        path: "graphs/:id",
        lazy: async () => ({ Component: (await import("@/pages/GraphPage")).GraphPage }),
      },
      {
        path: "experiments",
        lazy: async () => ({ Component: (await import("@/pages/ExperimentsPage")).ExperimentsPage }),
      },
      {
        path: "experiments/compare",
        lazy: async () => ({ Component: (await import("@/pages/CompareReportsPage")).CompareReportsPage }),
      },
      {
        path: "experiments/trajectories/:id",
        lazy: async () => ({ Component: (await import("@/pages/TrajectoriesPage")).TrajectoriesPage }),
      },
      {
        path: "experiments/:id",
        lazy: async () => ({ Component: (await import("@/pages/ReportPage")).ReportPage }),
      },
      { path: "review", lazy: async () => ({ Component: (await import("@/pages/ReviewPage")).ReviewPage }) },
      {
        path: "review/:id",
        lazy: async () => ({ Component: (await import("@/pages/ReviewQueuePage")).ReviewQueuePage }),
      },
      {
        path: "review/:id/disagreements",
        lazy: async () => ({ Component: (await import("@/pages/DisagreementsPage")).DisagreementsPage }),
      },
      {
        path: "review/:id/training",
        lazy: async () => ({ Component: (await import("@/pages/ReviewTrainingPage")).ReviewTrainingPage }),
      },
      {
        path: "review/:id/events",
        lazy: async () => ({ Component: (await import("@/pages/ReviewEventsPage")).ReviewEventsPage }),
      },
      {
        path: "models",
        lazy: async () => ({
          Component: (await import("@/pages/LanguageModelsPage")).LanguageModelsPage,
        }),
      },
      {
        path: "account",
        lazy: async () => ({ Component: (await import("@/pages/AccountPage")).AccountPage }),
      },
      {
        path: "people",
        lazy: async () => ({ Component: (await import("@/pages/PeoplePage")).PeoplePage }),
      },
      { path: "*", element: <NotFoundPage /> },
    ],
  },
]);

const root = document.getElementById("root");
if (!root) throw new Error("index.html lacks #root");
watchTheme();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
