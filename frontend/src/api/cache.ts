// The cache of what the server said, and when it is asked again.
import { QueryClient, type Query, type QueryKey } from "@tanstack/react-query";
import { ApiError } from "./client";

export function makeCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A request is tried and fails, and the page says so. Held back it would spin for as long as the network is
        // away; and the browser's word is not asked, for Clew may run on the same machine.
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: 10_000,
        // An answer that says no will say no again; only a silent network is worth another try.
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiError && error.status > 0 && error.status < 500),
      },
      // Nothing that changes something is sent later by itself: whoever wanted it presses again.
      mutations: { networkMode: "always" },
    },
  });
}

/**
 * Asks again for what news has made old. What is on its way for the first time may have been said before the news came,
 * and the library keeps such a request as it is, and one that nobody looks at for now: that is asked for again when it
 * is there.
 */
export async function refresh(client: QueryClient, ...changed: readonly QueryKey[]): Promise<void> {
  await Promise.all(
    changed.map(async (queryKey) => {
      const again = (query: Query) => client.invalidateQueries({ queryKey: query.queryKey, exact: true });
      const fetching = client.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" });
      const first = fetching.filter((query) => query.isActive() && query.state.data === undefined);
      // Nobody waits for these; they are old when they come.
      for (const query of fetching.filter((one) => !one.isActive()))
        query.promise?.then(
          () => again(query),
          () => undefined,
        );
      await client.invalidateQueries({ queryKey });
      await Promise.all(first.map(again));
    }),
  );
}
