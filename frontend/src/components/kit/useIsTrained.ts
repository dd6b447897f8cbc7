// Which methods have to learn from questions: only of those does "untrained" say anything.
import { useQuery } from "@tanstack/react-query";
import { statusQuery } from "@/api/queries";

/** Whether the method of that name has to learn from questions, as far as the server has said. */
export function useIsTrained(): (method: string | undefined) => boolean {
  const { data } = useQuery(statusQuery);
  return (method) => {
    const found = data?.methods.find((one) => one.id === method);
    return found === undefined || (found.trained && !found.standalone);
  };
}
