// Files that are being sent, wherever one is on the pages: how much has gone, how fast, paused or failed.
import { create } from "zustand";
import { sendFile, type Sending } from "@/api/uploads";

export type SentState = "sending" | "paused" | "done" | "failed";

export interface Sent {
  key: string;
  /** What the file is for: the dialog that asked for it. */
  purpose: string;
  name: string;
  size: number;
  sent: number;
  state: SentState;
  /** Its id on the server, once all of it is there. */
  id: string | null;
  error: Error | null;
  /** When, and from how many bytes on, the present stretch began. */
  since: number;
  from: number | null;
}

interface UploadStore {
  files: readonly Sent[];
  add: (purpose: string, files: readonly File[]) => void;
  pause: (key: string) => void;
  resume: (key: string) => void;
  remove: (key: string) => void;
  /** They have been made use of. */
  forget: (purpose: string) => void;
}

const running = new Map<string, Sending>();

/** Bytes a second of the present stretch; null before there is anything to go by. */
export function rateOf(file: Sent, now: number): number | null {
  const seconds = (now - file.since) / 1000;
  const bytes = file.from === null ? 0 : file.sent - file.from;
  return seconds > 0.5 && bytes > 0 ? bytes / seconds : null;
}

/** Seconds until all of it is there. */
export function timeLeft(file: Sent, now: number): number | null {
  const rate = rateOf(file, now);
  return rate === null ? null : (file.size - file.sent) / rate;
}

/** What tells one file from another: chosen twice, it is sent once. */
export function keyOf(purpose: string, file: Pick<File, "name" | "size" | "lastModified">): string {
  return [purpose, file.name, file.size, file.lastModified].join("\n");
}

export const useUploads = create<UploadStore>()((set, get) => {
  const change = (key: string, news: Partial<Sent> | ((file: Sent) => Partial<Sent>)) => {
    set(({ files }) => ({
      files: files.map((file) =>
        file.key === key ? { ...file, ...(typeof news === "function" ? news(file) : news) } : file,
      ),
    }));
  };
  const begin = (key: string, file: File) => {
    running.set(
      key,
      sendFile(file, {
        progress: (sent) => {
          change(key, (now) =>
            // The first figure is where it goes on from: nothing was sent in no time.
            now.from === null ? { sent, from: sent, since: Date.now() } : { sent },
          );
        },
        done: (id) => {
          running.delete(key);
          change(key, (now) => ({ state: "done", id, sent: now.size }));
        },
        failed: (error) => {
          change(key, { state: "failed", error });
        },
      }),
    );
  };
  return {
    files: [],
    add: (purpose, files) => {
      for (const file of files) {
        const key = keyOf(purpose, file);
        if (get().files.some((one) => one.key === key)) continue;
        const row: Sent = {
          ...{ key, purpose, name: file.name, size: file.size, sent: 0, state: "sending" },
          ...{ id: null, error: null, since: Date.now(), from: null },
        };
        set((state) => ({ files: [...state.files, row] }));
        begin(key, file);
      }
    },
    pause: (key) => {
      running.get(key)?.pause();
      change(key, { state: "paused" });
    },
    resume: (key) => {
      change(key, { state: "sending", error: null, since: Date.now(), from: null });
      running.get(key)?.resume();
    },
    remove: (key) => {
      void running.get(key)?.drop();
      running.delete(key);
      set(({ files }) => ({ files: files.filter((file) => file.key !== key) }));
    },
    forget: (purpose) => {
      set(({ files }) => ({ files: files.filter((file) => file.purpose !== purpose) }));
    },
  };
});
