// Handing things out of the application: clipboard and downloads.
import { toast } from "@/store/toasts";
import { troubleOf } from "./feedback";

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast(`The browser did not allow copying. ${what} can be downloaded instead.`);
  }
}

export function download(name: string, content: Blob | string, type = "application/json"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** A file name that says what is in it. */
export function fileName(text: string, ending: string): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${slug || "clew"}.${ending}`;
}

/** Saves a file when it has come, or says that `what` could not be downloaded. */
export async function saveFile(name: string, file: Promise<Blob | string>, what: string): Promise<void> {
  try {
    download(name, await file);
  } catch (error) {
    toast(`${what} could not be downloaded. ${troubleOf(error).message}`);
  }
}
