// The cache of what the server said, and when it is asked again.
import { QueryClient } from "@tanstack/react-query";
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
