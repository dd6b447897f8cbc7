// What methods are called: the same in menus, the history, comparisons and reports. The server has the names.
import { useQuery } from "@tanstack/react-query";
import { statusQuery } from "@/api/queries";
import type { MethodInfo } from "@/api/types";

/** The name of a method for people; its id as long as the server has not said, or does not know it any more. */
export function useMethodName(): (method: string) => string {
  const { data } = useQuery(statusQuery);
  return (method) => methodLabel(data?.methods ?? [], method);
}

/** The same where the methods are known. */
export function methodLabel(methods: readonly MethodInfo[], method: string): string {
  return methods.find((one) => one.id === method)?.label ?? method;
}
