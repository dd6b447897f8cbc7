// An address of a run that is not there.
import { useNavigate } from "react-router";
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
      It may have been deleted, or the address is incomplete.
    </EmptyState>
  );
}
