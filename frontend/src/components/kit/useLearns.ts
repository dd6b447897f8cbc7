// Which methods learn from questions: only of those does "zero-shot" say anything.
import { useQuery } from "@tanstack/react-query";
import { statusQuery } from "@/api/queries";

/** Whether the method of that name learns from questions, as far as the server has said. */
export function useLearns(): (method: string | undefined) => boolean {
  const { data } = useQuery(statusQuery);
  return (method) => data?.methods.find((one) => one.id === method)?.trained ?? true;
}
