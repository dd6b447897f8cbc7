// Which page stands at which address. What is below `Shell` is for those who are logged in; shared links are for everybody.
import type { ComponentType } from "react";
import type { RouteObject } from "react-router";
import { Loading } from "@/components/kit/feedback";
import { AskPage } from "./AskPage";
import { LoginPage } from "./LoginPage";
import { BrokenPage, NotFoundPage } from "./NotFoundPage";
import { Shell } from "./Shell";

/** A page that is loaded when somebody goes there: `name` is what its module calls it. */
function page<Name extends string>(
  path: string,
  name: Name,
  load: () => Promise<Record<Name, ComponentType>>,
): RouteObject {
  return { path, lazy: async () => ({ Component: (await load())[name] }) };
}

const ask = <AskPage />;

const PAGES: RouteObject[] = [
  { index: true, element: ask },
  { path: "runs/:id", element: ask },
  page("compare/:id", "ComparePage", () => import("./ComparePage")),
  page("across/:id", "AcrossPage", () => import("./AcrossPage")),
  page("threads/:id", "ThreadPage", () => import("./ThreadPage")),
  page("history", "HistoryPage", () => import("./HistoryPage")),
  page("graphs", "GraphsPage", () => import("./GraphsPage")),
  page("graphs/:id", "GraphPage", () => import("./GraphPage")),
  page("graphs/:id/explore", "ExplorePage", () => import("./ExplorePage")),
  page("graphs/:id/schema", "SchemaPage", () => import("./SchemaPage")),
  page("graphs/:id/tests", "GraphTestsPage", () => import("./GraphTestsPage")),
  page("tests/:id", "AnswerHistoryPage", () => import("./AnswerHistoryPage")),
  page("watched", "WatchedPage", () => import("./WatchedPage")),
  page("test-rounds/:id", "TestRoundPage", () => import("./TestRoundPage")),
  page("experiments", "ExperimentsPage", () => import("./ExperimentsPage")),
  page("experiments/compare", "CompareReportsPage", () => import("./CompareReportsPage")),
  page("experiments/trajectories/:id", "TrajectoriesPage", () => import("./TrajectoriesPage")),
  page("experiments/:id", "ReportPage", () => import("./ReportPage")),
  page("studies", "StudiesPage", () => import("./StudiesPage")),
  page("studies/new", "NewStudyPage", () => import("./NewStudyPage")),
  page("studies/:id", "StudyPage", () => import("./StudyPage")),
  page("leaderboard", "LeaderboardPage", () => import("./LeaderboardPage")),
  page("review", "ReviewPage", () => import("./ReviewPage")),
  page("review/:id", "ReviewQueuePage", () => import("./ReviewQueuePage")),
  page("review/:id/disagreements", "DisagreementsPage", () => import("./DisagreementsPage")),
  page("review/:id/training", "ReviewTrainingPage", () => import("./ReviewTrainingPage")),
  page("review/:id/events", "ReviewEventsPage", () => import("./ReviewEventsPage")),
  page("models", "LanguageModelsPage", () => import("./LanguageModelsPage")),
  page("account", "AccountPage", () => import("./AccountPage")),
  page("people", "PeoplePage", () => import("./PeoplePage")),
  { path: "*", element: <NotFoundPage /> },
];

const SHARED: RouteObject[] = [
  page("shared/:token", "SharedPage", () => import("./SharedPage")),
  page("embed/:token", "EmbedPage", () => import("./SharedPage")),
];

export const ROUTES: RouteObject[] = [
  { path: "/login", element: <LoginPage />, errorElement: <BrokenPage /> },
  {
    element: <Shell />,
    errorElement: <BrokenPage />,
    hydrateFallbackElement: <Loading what="Clew" />,
    children: PAGES,
  },
  {
    errorElement: <BrokenPage />,
    hydrateFallbackElement: <Loading what="the answer" />,
    children: SHARED,
  },
];
