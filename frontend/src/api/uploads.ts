// Files on their way to the server by the tus protocol, and what they are taken for before they are imported.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { post } from "./calls";
import { query } from "./query";
import type { DetailedError } from "tus-js-client";
import { ApiError, apiUrl, csrfToken } from "./client";
import type { components } from "./generated/schema";
import type { From, Reading } from "./types";

type Schemas = components["schemas"];

const PIECE = 16 * 1024 * 1024;
const RETRY_AFTER_MS = [500, 1000, 3000, 5000, 10_000];
/** Answers that another try may change: no network, a busy or moved upload, a server in trouble (but not a full disk). */
const PASSING = new Set([0, 409, 423, 429, 500, 502, 503, 504]);

export interface UploadListener {
  progress: (sent: number) => void;
  done: (id: string) => void;
  failed: (error: Error) => void;
}

export interface Sending {
  pause: () => void;
  resume: () => void;
  /** Stops it; the server forgets what has arrived. */
  drop: () => Promise<void>;
}

/** What the server answered, of an error that the protocol's client threw. */
function responseOf(error: Error): DetailedError["originalResponse"] {
  return "originalResponse" in error ? (error as DetailedError).originalResponse : null;
}

function statusOf(error: Error): number {
  return responseOf(error)?.getStatus() ?? 0;
}

/** The server's own words, where it said any. */
export function troubleOfUpload(error: Error): ApiError {
  if (error instanceof ApiError) return error;
  const status = statusOf(error);
  if (!status) return ApiError.offline();
  return ApiError.fromBody(status, responseOf(error)?.getBody() ?? "");
}

/** Sends a file in pieces. The same file chosen again, even after a reload, goes on where it stopped. */
export function sendFile(file: File, listener: UploadListener): Sending {
  const made = makeUpload(file, listener);
  let [begun, going] = [false, true];
  const start = async () => {
    const upload = await made;
    if (!begun) {
      begun = true;
      const [before] = await upload.findPreviousUploads();
      if (before) upload.resumeFromPreviousUpload(before);
    }
    if (going) upload.start();
  };
  const go = () => {
    going = true;
    start().catch((error: unknown) => {
      listener.failed(error instanceof Error ? error : new Error(String(error)));
    });
  };
  const stop = async (forGood: boolean) => {
    going = false;
    await (await made).abort(forGood);
  };
  go();
  return {
    pause: () => void stop(false),
    resume: go,
    drop: () => stop(true).catch(() => undefined),
  };
}

/** The protocol's client comes with the first file: no page needs it to be drawn. */
async function makeUpload(file: File, listener: UploadListener) {
  const { Upload } = await import("tus-js-client");
  const upload = new Upload(file, {
    endpoint: apiUrl("uploads"),
    chunkSize: PIECE,
    retryDelays: RETRY_AFTER_MS,
    metadata: { filename: file.name, filetype: file.type },
    removeFingerprintOnSuccess: true,
    onBeforeRequest: (sent) => sent.setHeader("X-CSRFToken", csrfToken()),
    onShouldRetry: (error) => PASSING.has(statusOf(error)),
    onProgress: listener.progress,
    onError: (error) => listener.failed(troubleOfUpload(error)),
    onSuccess: () => listener.done(upload.url?.split("/").pop() ?? ""),
  });
  return upload;
}

/** An upload as the server knows it. */
export type Arriving = Schemas["ResumableUpload"];

export const uploadKeys = { all: ["uploads"] } as const;

export const arrivingQuery = query("uploads", { page_size: 100 });

/** Takes an upload that was not finished away. */
export async function dropUpload(id: string): Promise<void> {
  const response = await fetch(apiUrl(`uploads/${id}`), {
    method: "DELETE",
    credentials: "same-origin",
    headers: { "Tus-Resumable": "1.0.0", "X-CSRFToken": csrfToken() },
  });
  if (!response.ok) throw ApiError.fromBody(response.status, await response.text());
}

export type Kind = Schemas["PreviewRequestKindEnum"];

/** A format that files can be read as. */
export type Format = Schemas["Format"];

export const formatsQuery = query("uploads/formats", {}, { staleTime: Infinity, stops: true });

/** What a file is taken for. */
export type Guess = Schemas["Guess"];

export const previewQuery = (kind: Kind, from: From, reading: Reading) =>
  queryOptions({
    queryKey: [...uploadKeys.all, "preview", kind, from, reading],
    queryFn: ({ signal }) => post("uploads/preview", {}, { kind, ...from, ...reading }, { signal }),
    enabled: from.uploads.length + from.sources.length > 0,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    retry: false,
  });
