// Whether files must not be imported: the preview has not looked at them yet, could not, or says that one is refused.
import { useQuery } from "@tanstack/react-query";
import { previewQuery, type Kind } from "@/api/uploads";
import type { From, Reading } from "@/api/types";

export function useIsRefused(kind: Kind, from: From, reading: Reading, ready: boolean): boolean {
  const preview = previewQuery(kind, from, reading);
  const { data, isError, isPlaceholderData } = useQuery(ready ? preview : { ...preview, enabled: false });
  const isSeen = data !== undefined && !isError && !isPlaceholderData;
  return ready && !(isSeen && data.every((guess) => !guess.refused));
}
