// The address of a thread: its last question is opened.
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useNavigate, useParams } from "react-router";
import { runsQuery } from "@/api/queries";
import { Button } from "@/components/kit/controls";
import { EmptyState } from "@/components/kit/feedback";
import { Unseen } from "@/components/kit/Unseen";

export function ThreadPage() {
  const { id = "" } = useParams();
  const navigate = useNavigate();
  const runs = useQuery({ ...runsQuery({ thread: id, page_size: 1 }), refetchOnMount: "always" });
  if (runs.error || !runs.data || runs.isPlaceholderData) {
    return <Unseen of={runs} what="thread" instead={["Ask a question", "/"]} />;
  }
  const [last] = runs.data.results;
  if (last) return <Navigate replace to={`/runs/${last.id}`} />;
  return (
    <EmptyState
      page
      title="This thread does not exist"
      act={
        <Button look="primary" onPress={() => void navigate("/")}>
          Ask a question
        </Button>
      }
    >
      Its graph may have been deleted, or you may not see it; or the address is incomplete. A graph in the
      trash comes back with its runs: <Link to="/graphs">look in the trash</Link>.
    </EmptyState>
  );
}
