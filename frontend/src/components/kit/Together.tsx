// Parts of a page that are shown together once what they ask for is there: none grows later and moves those below it
// while somebody presses a button.
import { useIsFetching } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { Loading } from "./feedback";

/** After so many ms without an answer more the parts are shown as they are. */
const PATIENCE = 4_000;

/** True from when no query waits for its first answer. */
function useAnswered(): boolean {
  const waiting = useIsFetching({ predicate: ({ state }) => state.status === "pending" });
  const [answered, setAnswered] = useState(false);
  useEffect(() => {
    // An answer may lead to the next question, which is asked before this is due.
    const timer = setTimeout(() => setAnswered(true), waiting ? PATIENCE : 0);
    return () => {
      clearTimeout(timer);
    };
  }, [waiting]);
  return answered;
}

/** Takes its room at once, for drawings that fit themselves to it. `children` is told when it is shown. */
export function Together({ what, children }: { what: string; children: (shown: boolean) => ReactNode }) {
  const shown = useAnswered();
  return (
    <>
      {!shown && <Loading what={what} />}
      <div className="together" data-shown={shown}>
        {children(shown)}
      </div>
    </>
  );
}
