// Whether an import of files fails for sure, by the look at them that the preview shows.
import { useQuery } from "@tanstack/react-query";
import { previewQuery, type Kind } from "@/api/uploads";
import type { From, Reading } from "@/api/types";

export function useIsRefused(kind: Kind, from: From, reading: Reading, ready: boolean): boolean {
  const preview = previewQuery(kind, from, reading);
  const { data, isError, isFetching } = useQuery(ready ? preview : { ...preview, enabled: false });
  const refused = data?.some((guess) => guess.refused) ?? false;
  return ready && !isFetching && (isError || refused);
}
