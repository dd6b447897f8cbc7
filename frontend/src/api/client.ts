// The one place that speaks HTTP: JSON in and out, CSRF, and errors with what to do next.

const ROOT = "/api/v1/";

export type Query = Record<string, string | number | boolean | null | undefined | readonly string[]>;

interface ErrorBody {
  error?: { code?: string; message?: string; hint?: string; fields?: Record<string, string[]> };
}

/** An answer that was not 2xx, or no answer at all (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly fields: Record<string, string[]>;
  /** The browser had no network when it happened. */
  readonly wasOffline = !navigator.onLine;
  /** The whole answer, for errors that say more than what went wrong. */
  readonly body: unknown;

  constructor(
    status: number,
    code: string,
    message: string,
    hint = "",
    fields: Record<string, string[]> = {},
    body: unknown = null,
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.fields = fields;
    this.body = body;
  }

  /** Read `{error: {code, message, hint}}`; say something useful when a proxy answered instead. */
  static fromBody(status: number, text: string): ApiError {
    let body: ErrorBody = {};
    try {
      body = JSON.parse(text) as ErrorBody;
    } catch {
      // Not JSON: an HTML page of a proxy or of the server's last resort.
    }
    const { code, message, hint, fields } = body.error ?? {};
    return new ApiError(
      status,
      code ?? `http_${status}`,
      message ??
        (status >= 500 ? "The server could not finish this request." : `The server answered ${status}.`),
      hint ?? (status >= 500 ? "Nothing was changed. Try again; if it stays, look at the server's log." : ""),
      fields,
      body,
    );
  }

  static offline(): ApiError {
    return new ApiError(
      0,
      "offline",
      navigator.onLine ? "The server cannot be reached." : "You are offline.",
      navigator.onLine
        ? "What you typed is kept. Check that Clew is running, then try again."
        : "What you typed is kept. Try again when you are connected.",
    );
  }

  static silent(): ApiError {
    return new ApiError(
      0,
      "silent",
      "The server does not answer.",
      "What you typed is kept. It may have arrived: check before you send it again.",
    );
  }
}

/** Characters, which take at most three bytes each. */
const KEEPALIVE_MAX = 20_000;

let csrf = "";
let signedOut: () => void = () => undefined;

/** Remember the token that the session call gave. */
export function setCsrf(token: string): void {
  csrf = token;
}

/** What a request that changes something sends as `X-CSRFToken`. */
export function csrfToken(): string {
  return csrf;
}

/** Called whenever the server says 401 outside the log-in call. */
export function onSignedOut(callback: () => void): void {
  signedOut = callback;
}

export function apiUrl(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    const list = typeof value === "object" && value !== null ? value : [value];
    for (const item of list) {
      if (item !== undefined && item !== null && item !== "") search.append(key, String(item));
    }
  }
  const text = search.toString();
  return ROOT + path + (text ? `?${text}` : "");
}

export interface Options {
  signal?: AbortSignal | undefined;
  /** For how long an answer is waited for, in ms; without it, for as long as the network holds. */
  patience?: number | undefined;
  /** It is sent on when the page is left. Browsers take no more than 64 kB so. */
  keepalive?: boolean;
}

interface Sent extends Options {
  query?: Query;
  body?: unknown;
}

async function send(method: string, path: string, options: Sent): Promise<Response> {
  const { query, patience, keepalive } = options;
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const tired = patience === undefined ? undefined : AbortSignal.timeout(patience);
  const signal =
    options.signal && tired ? AbortSignal.any([options.signal, tired]) : (options.signal ?? tired);
  const headers: Record<string, string> = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRFToken"] = csrf;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(apiUrl(path, query), {
      method,
      headers,
      credentials: "same-origin",
      ...(body !== undefined && { body }),
      ...(keepalive && body !== undefined && body.length < KEEPALIVE_MAX && { keepalive }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw tired?.aborted ? ApiError.silent() : ApiError.offline();
  }
}

async function refreshCsrf(): Promise<void> {
  const response = await send("GET", "session", {});
  if (response.ok) setCsrf(((await response.json()) as { csrf: string }).csrf);
}

export async function request<T>(method: string, path: string, options: Sent = {}): Promise<T> {
  let response = await send(method, path, options);
  if (response.status === 403 && method !== "GET") {
    // A token that a log-in in another tab has replaced: fetch the new one, once.
    const error = ApiError.fromBody(403, await response.text());
    if (!error.code.includes("csrf")) throw error;
    await refreshCsrf();
    response = await send(method, path, options);
  }
  const text = await response.text().catch((error: unknown) => {
    // Cut off in the middle of the answer.
    throw options.signal?.aborted ? error : ApiError.offline();
  });
  if (!response.ok) {
    if (response.status === 401 && path !== "session") signedOut();
    throw ApiError.fromBody(response.status, text);
  }
  return (text ? JSON.parse(text) : undefined) as T;
}

/** GET something to be saved as it is. */
export async function requestFile(path: string, query: Query = {}): Promise<Blob> {
  const response = await send("GET", path, { query });
  if (!response.ok) {
    if (response.status === 401) signedOut();
    throw ApiError.fromBody(response.status, await response.text());
  }
  return response.blob();
}
/** POST a form with files. `onProgress` gets the share sent, 0 to 1. Abort by `signal`. */
export function upload<T>(
  path: string,
  form: FormData,
  onProgress: (share: number) => void,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    // fetch cannot report how much of a body has been sent; XMLHttpRequest can.
    const xhr = new XMLHttpRequest();
    xhr.open("POST", apiUrl(path));
    xhr.setRequestHeader("X-CSRFToken", csrf);
    xhr.setRequestHeader("Accept", "application/json");
    xhr.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    xhr.onload = () => {
      if (xhr.status >= 200 && xhr.status < 300) {
        resolve(JSON.parse(xhr.responseText) as T);
      } else {
        if (xhr.status === 401) signedOut();
        reject(ApiError.fromBody(xhr.status, xhr.responseText));
      }
    };
    xhr.onerror = () => {
      reject(ApiError.offline());
    };
    xhr.onabort = () => {
      reject(new ApiError(0, "stopped", "The upload was stopped.", "Nothing was kept on the server."));
    };
    signal?.addEventListener("abort", () => {
      xhr.abort();
    });
    xhr.send(form);
  });
}
