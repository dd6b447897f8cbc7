// Downloads that come from the server.
import { download } from "@/store/files";
import { toast } from "@/store/toasts";
import { troubleOf } from "./feedback";

/** Saves a file when it has come, or says that `what` could not be downloaded. */
export async function saveFile(name: string, file: Promise<Blob | string>, what: string): Promise<void> {
  try {
    download(name, await file);
  } catch (error) {
    toast(`${what} could not be downloaded. ${troubleOf(error).message}`);
  }
}
