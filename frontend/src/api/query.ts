// What the pages ask the server for: a query of a path, kept under a key that is made of the path. So all that is known
// of something is asked for again by the beginning of its address: `["graphs", "5"]` is that of
// `["graphs", "5", "problems", { page: 2 }]`.
import { keepPreviousData, queryOptions, type QueryKey } from "@tanstack/react-query";
import { addressOf, type AnswerOf, type ParamsOf, type PathOf } from "./calls";
import { request, type Query } from "./client";

interface How {
  /** Under which other key it is kept, because it changes with that. */
  under?: QueryKey;
  /** What else the answer depends on. */
  of?: string;
  /** For how long an answer is taken as it is, in ms; `Infinity` for what does not change. */
  staleTime?: number;
  /** While another page or other words are looked for, the last answer stays. */
  keepsLast?: boolean;
  /** Whether it is broken off when nobody wants it any more, as somebody types. */
  stops?: boolean;
  enabled?: boolean;
  retry?: false;
}

export function query<P extends PathOf<"get">>(path: P, ...args: [...ParamsOf<"get", P>, how?: How]) {
  const [params = {}, how = {}] = args as unknown as [params?: Query, how?: How];
  const { under = [], of, keepsLast, stops, ...options } = how;
  const [address, search] = addressOf(path, params);
  return queryOptions<AnswerOf<"get", P>>({
    ...options,
    ...(keepsLast && { placeholderData: keepPreviousData }),
    queryKey: [
      ...under,
      ...address.split("/"),
      ...(Object.keys(search).length ? [search] : []),
      ...(of === undefined ? [] : [of]),
    ],
    // The signal is read only where it is wanted: to read it is to have the request broken off when nobody looks.
    queryFn: (context) =>
      request("GET", address, { query: search, ...(stops && { signal: context.signal }) }),
  });
}
