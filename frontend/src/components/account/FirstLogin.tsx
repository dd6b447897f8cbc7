// The password that was made for somebody, to be handed over.
import type { WithPassword } from "@/api/people";
import { Button } from "@/components/kit/controls";
import { ShownOnce } from "./ShownOnce";

export function FirstLogin({ person, onClose }: { person: WithPassword; onClose: () => void }) {
  return (
    <div className="stack">
      <p>
        Hand this password to{" "}
        <strong>
          <bdi>{person.username}</bdi>
        </strong>
        :
      </p>
      <ShownOnce value={person.password}>
        It is valid for a week, and only lets them choose a password of their own.
      </ShownOnce>
      <div className="foot">
        <Button onPress={onClose}>Done</Button>
      </div>
    </div>
  );
}
