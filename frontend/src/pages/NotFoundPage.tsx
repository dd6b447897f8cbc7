import { Link } from "react-router";
import { useTitle } from "@/components/kit/hooks";
import { EmptyState } from "@/components/kit/feedback";

export function NotFoundPage() {
  useTitle("Not found");
  return (
    <EmptyState
      page
      title="There is no such page"
      act={
        <Link className="btn primary" to="/">
          Ask a question
        </Link>
      }
    >
      The address may be mistyped.
    </EmptyState>
  );
}

/** The last resort: something in the page itself broke. */
export function BrokenPage() {
  useTitle("Broken");
  return (
    <main className="alone">
      <EmptyState
        page
        title="This page broke"
        act={
          <a className="btn primary" href="/">
            Start again
          </a>
        }
      >
        Runs, graphs and jobs are on the server and are not affected. The browser’s console has the details.
      </EmptyState>
    </main>
  );
}
