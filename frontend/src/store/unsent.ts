// Judgements that the server has not answered yet. They are kept in this browser, so that neither a reload nor a
// silent network loses one; sent again they record nothing twice, for their id is their own.
import { submitItem, type Judgement } from "@/api/review";

export interface Unsent {
  user: string;
  queue: string;
  item: number;
  question: string;
  /** Milliseconds, to keep their order. */
  at: number;
  judgement: Judgement;
}

const PREFIX = "clew-unsent:";
/** How often what the server did not take is sent again, while its queue is not open. */
const EVERY_MS = 60_000;

export function keepUnsent(entry: Unsent): void {
  try {
    localStorage.setItem(PREFIX + entry.judgement.id, JSON.stringify(entry));
  } catch {
    // Storage is full or forbidden: the page still holds it.
  }
}

export function forgetUnsent(id: string): void {
  localStorage.removeItem(PREFIX + id);
}

/** Those of one analyst, in one queue or all, oldest first. */
export function unsentOf(user: string, queue?: string): Unsent[] {
  const found: Unsent[] = [];
  for (let place = 0; place < localStorage.length; place += 1) {
    const key = localStorage.key(place);
    if (!key?.startsWith(PREFIX)) continue;
    try {
      found.push(JSON.parse(localStorage.getItem(key) ?? "") as Unsent);
    } catch {
      // Not ours, or cut short: there is nothing in it to send.
    }
  }
  return found
    .filter((one) => one.user === user && (queue === undefined || one.queue === queue))
    .sort((a, b) => a.at - b.at);
}

/** Sends what is kept, wherever its analyst is by now: at once, when the network is back, and every now and then. */
export function keepSending(user: string): () => void {
  const send = async () => {
    for (const { item, judgement } of unsentOf(user)) {
      // What is refused stays: the page of its queue asks about it.
      await submitItem(item, judgement, []).then(
        () => forgetUnsent(judgement.id),
        () => undefined,
      );
    }
  };
  const begin = () => void send();
  begin();
  const timer = setInterval(begin, EVERY_MS);
  window.addEventListener("online", begin);
  return () => {
    clearInterval(timer);
    window.removeEventListener("online", begin);
  };
}
