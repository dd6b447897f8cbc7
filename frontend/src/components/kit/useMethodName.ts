// What methods are called: the same in menus, the history, comparisons and reports. The server has the names.
import { useQuery } from "@tanstack/react-query";
import { statusQuery } from "@/api/queries";

/** The name of a method for people; its id as long as the server has not said, or does not know it any more. */
export function useMethodName(): (method: string) => string {
  const { data } = useQuery(statusQuery);
  return (method) => data?.methods.find((one) => one.id === method)?.label ?? method;
}
