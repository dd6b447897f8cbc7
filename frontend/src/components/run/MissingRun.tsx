// An address of a run that is not there.
import { Link, useNavigate } from "react-router";
import { Button } from "@/components/kit/controls";
import { EmptyState } from "@/components/kit/feedback";

export function MissingRun() {
  const navigate = useNavigate();
  return (
    <EmptyState
      title="This run does not exist"
      act={
        <Button look="primary" onPress={() => void navigate("/history")}>
          Open the history
        </Button>
      }
    >
      It or its graph may have been deleted, or the address is incomplete. A graph in the trash comes back
      with its runs: <Link to="/graphs">look in the trash</Link>.
    </EmptyState>
  );
}
