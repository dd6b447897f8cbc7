// One reconnecting WebSocket. What the frames mean is the caller's business.

export interface SocketOptions {
  /** The address for the next attempt; asked anew each time, so that it can say where to go on. */
  url: () => string;
  /** One decoded frame. "again" asks for a fresh connection at once (a gap was seen). */
  onFrame: (frame: unknown) => "ok" | "again";
  onState: (state: SocketState) => void;
  /** Whether trying again is pointless after the server closed with this code. */
  isFinal?: (code: number) => boolean;
  /** First and longest wait between attempts, in ms. */
  backoff?: { first: number; longest: number };
  random?: () => number;
}

export type SocketState =
  | { kind: "connecting" }
  | { kind: "live" }
  | { kind: "waiting"; attempt: number; crowded: boolean }
  | { kind: "closed"; code: number };

/** The server's code for a person, or an address, that has too many sockets open. */
const TOO_MANY = 4429;
const BACKOFF = { first: 400, longest: 15_000 };
/** A server that says nothing for this long gets a ping, and if it stays silent a new connection. */
const SILENCE_MS = 25_000;

export class ReconnectingSocket {
  private socket: WebSocket | null = null;
  private attempt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private over = false;
  private readonly options: SocketOptions;

  constructor(options: SocketOptions) {
    this.options = options;
    window.addEventListener("online", this.wake);
    window.addEventListener("offline", this.lose);
    this.connect();
  }

  /** Stop for good. */
  close(): void {
    this.over = true;
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.deafen();
    this.drop();
  }

  private readonly wake = (): void => {
    if (this.over || this.socket) return;
    clearTimeout(this.timer);
    this.connect();
  };

  /** The network is gone: an open connection would say so only after a long silence. */
  private readonly lose = (): void => {
    if (this.over || !this.socket) return;
    clearTimeout(this.silence);
    this.drop();
    this.retry();
  };

  private deafen(): void {
    window.removeEventListener("online", this.wake);
    window.removeEventListener("offline", this.lose);
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = socket.onerror = null;
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
    else socket.close();
  }

  private connect(): void {
    this.drop();
    this.options.onState({ kind: "connecting" });
    const socket = new WebSocket(this.options.url());
    this.socket = socket;
    socket.onopen = () => {
      this.options.onState({ kind: "live" });
      this.listenForSilence();
    };
    socket.onmessage = (message) => {
      this.attempt = 0;
      this.listenForSilence();
      this.read(String(message.data));
    };
    socket.onclose = (event) => {
      this.socket = null;
      clearTimeout(this.silence);
      if (this.options.isFinal?.(event.code)) this.finish(event.code);
      else this.retry(event.code === TOO_MANY);
    };
  }

  private read(text: string): void {
    const frame: unknown = JSON.parse(text);
    if (typeof frame === "object" && frame !== null && "type" in frame && frame.type === "pong") return;
    if (this.options.onFrame(frame) === "again") this.connect();
  }

  private finish(code: number): void {
    this.over = true;
    clearTimeout(this.silence);
    this.deafen();
    this.options.onState({ kind: "closed", code });
  }

  private retry(crowded = false): void {
    if (this.over) return;
    this.attempt += 1;
    this.options.onState({ kind: "waiting", attempt: this.attempt, crowded });
    const { first, longest } = this.options.backoff ?? BACKOFF;
    const wait = Math.min(longest, first * 2 ** (this.attempt - 1));
    // Half of the wait is random, so that a restarted server is not met by everybody at once.
    const jitter = (this.options.random ?? Math.random)();
    this.timer = setTimeout(() => this.connect(), wait / 2 + (wait / 2) * jitter);
  }

  private listenForSilence(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      this.socket?.send(JSON.stringify({ type: "ping" }));
      this.silence = setTimeout(() => {
        this.drop();
        this.retry();
      }, SILENCE_MS / 5);
    }, SILENCE_MS);
  }
}

/** `path` on the page's own host, as ws: or wss:. */
export function socketUrl(path: string): string {
  const { protocol, host } = window.location;
  return `${protocol === "https:" ? "wss:" : "ws:"}//${host}${path}`;
}
