// What a person entered about items and did not submit: kept in this browser at once, and with the account soon after.
import { ApiError } from "@/api/client";
import {
  PATIENCE_MS,
  saveDraft,
  type Draft,
  type DraftContent,
  type DraftPurpose,
  type Item,
} from "@/api/review";
import type { Opinion } from "@/view/review";

/** Typing is saved once it stands still for so long. */
const SAVE_MS = 600;
/** How long after the server did not take a draft it is sent again. */
const AGAIN_MS = 5000;
/** So many revisions that were not answered are known again. */
const SENT_MAX = 20;

/** A draft as this browser keeps it. */
interface LocalDraft {
  content: DraftContent;
  /** When it was changed last, in ms; 0 where it came from the account. */
  at: number;
  /** The revision of the account that it changes, or is when it is saved. */
  base: string | null;
  /** Revisions that were sent and not answered: the account may have one of them. */
  sent?: readonly string[];
  saved: boolean;
  /** When the account took it, in ms; not known of one that came from there. */
  savedAt?: number;
}

export interface DraftListener {
  /** Another tab of this browser changed it; null: submitted it. */
  onOther: (item: number, content: DraftContent | null) => void;
  /** It was changed on another device too; `other` is the version that is not shown. */
  onClash: (item: number, other: DraftContent) => void;
}

export function contentOf({ words, broken, reasons, comment }: Opinion): DraftContent {
  return {
    verdicts: [...words].map(([candidate, word]) => ({ candidate, ...word })),
    broken,
    reasons: [...reasons],
    comment,
  };
}

export function opinionFrom({ verdicts, broken, reasons, comment }: DraftContent): Opinion {
  const words = new Map(verdicts.map(({ candidate, ...word }) => [candidate, word]));
  return { words, broken, reasons, comment };
}

export function isSame(one: DraftContent, other: DraftContent): boolean {
  const plain = ({ verdicts, broken, reasons, comment }: DraftContent) =>
    JSON.stringify([
      [...verdicts]
        .sort((a, b) => a.candidate - b.candidate)
        .map((word) => [word.candidate, word.kind, word.reasons, word.comment.trim()]),
      broken,
      reasons,
      comment.trim(),
    ]);
  return plain(one) === plain(other);
}

/** Whether the account's draft is an older version of this browser's, and no other device's. */
function isOwn({ revision }: Draft, { base, sent = [] }: LocalDraft): boolean {
  return revision === base || sent.includes(revision);
}

export class Drafts {
  private readonly prefix: string;
  private readonly purpose: DraftPurpose;
  private readonly listener: DraftListener;
  /** For browsers that refuse to store anything. */
  private readonly held = new Map<number, LocalDraft>();
  /** What was entered in this tab last. */
  private readonly entered = new Map<number, Pick<LocalDraft, "content" | "at">>();
  private readonly timers = new Map<number, ReturnType<typeof setTimeout>>();
  private tail: Promise<unknown> = Promise.resolve();
  private sending = 0;

  constructor(user: string, purpose: DraftPurpose, listener: DraftListener) {
    this.prefix = `clew-draft:${user}:${purpose}:`;
    this.purpose = purpose;
    this.listener = listener;
  }

  readonly start = (): (() => void) => {
    window.addEventListener("storage", this.hear);
    window.addEventListener("pagehide", this.flush);
    document.addEventListener("visibilitychange", this.flush);
    window.addEventListener("online", this.flush);
    return () => {
      window.removeEventListener("storage", this.hear);
      window.removeEventListener("pagehide", this.flush);
      document.removeEventListener("visibilitychange", this.flush);
      window.removeEventListener("online", this.flush);
      this.flush();
    };
  };

  /** The newer of the account's draft and this browser's; null where there is neither. */
  open(item: Item): DraftContent | null {
    const server: Draft | null = this.purpose === "judgement" ? item.draft : item.decision_draft;
    const local = this.read(item.id);
    const revision = server?.revision ?? null;
    if (!local || (local.saved && Date.now() - (local.savedAt ?? 0) > PATIENCE_MS)) {
      if (server) this.store(item.id, { content: server.content, at: 0, base: revision, saved: true });
      else if (local) this.remove(item.id);
      return server?.content ?? null;
    }
    // It was saved so lately that the item may have been read before.
    if (local.saved) return local.content;
    if (!server && item.mine && this.purpose === "judgement" && Date.parse(item.mine.at) > local.at) {
      // Submitted on another device since.
      this.remove(item.id);
      return null;
    }
    if (server && !isOwn(server, local) && !isSame(server.content, local.content)) {
      if (Date.parse(server.saved_at) > local.at) {
        this.store(item.id, { content: server.content, at: 0, base: revision, saved: true });
        this.listener.onClash(item.id, local.content);
        return server.content;
      }
      this.listener.onClash(item.id, server.content);
    }
    this.store(item.id, { ...local, base: revision });
    this.schedule(item.id);
    return local.content;
  }

  /** Whether something was entered after `at`. */
  isChangedSince(item: number, at: number): boolean {
    return (this.read(item)?.at ?? 0) > at;
  }

  write(item: number, opinion: Opinion): void {
    const content = contentOf(opinion);
    const before = this.read(item);
    if (before && isSame(before.content, content)) return;
    const entered = { content, at: Date.now() };
    this.entered.set(item, entered);
    this.store(item, { base: null, ...before, ...entered, saved: false });
    this.schedule(item);
  }

  /** It was submitted, or there is nothing to keep. */
  forget(item: number): void {
    this.entered.delete(item);
    clearTimeout(this.timers.get(item));
    this.timers.delete(item);
    this.remove(item);
  }

  /** After everything that is on its way has arrived. */
  async settled(): Promise<void> {
    await this.tail;
  }

  private readonly flush = (): void => {
    for (const [item, timer] of this.timers) {
      clearTimeout(timer);
      this.save(item);
    }
    this.timers.clear();
  };

  private schedule(item: number, ms = SAVE_MS): void {
    clearTimeout(this.timers.get(item));
    this.timers.set(
      item,
      setTimeout(() => {
        this.timers.delete(item);
        this.save(item);
      }, ms),
    );
  }

  private save(item: number): void {
    // Begun at once where nothing is on its way: a page that is left sends nothing later.
    const work = () => this.send(item);
    this.tail = this.sending ? this.tail.then(work) : work();
  }

  private async send(item: number): Promise<void> {
    const draft = this.read(item);
    if (!draft || draft.saved) return;
    const revision = crypto.randomUUID();
    this.store(item, { ...draft, sent: [...(draft.sent ?? []), revision].slice(-SENT_MAX) });
    this.sending += 1;
    try {
      await saveDraft(item, { purpose: this.purpose, revision, base: draft.base, content: draft.content });
      this.rebase(item, revision, draft.content);
    } catch (error) {
      this.refused(item, draft, error);
    } finally {
      this.sending -= 1;
    }
  }

  /** What is here now changes this revision; it is saved unless it was changed meanwhile. */
  private rebase(item: number, base: string | null, sent?: DraftContent): void {
    const now = this.read(item);
    if (!now) return;
    const saved = sent !== undefined && isSame(now.content, sent);
    this.store(item, { ...now, base, sent: [], saved, savedAt: Date.now() });
    if (!saved) this.schedule(item);
  }

  private refused(item: number, draft: LocalDraft, error: unknown): void {
    if (error instanceof ApiError && error.code === "draft_changed") {
      const { draft: other } = error.body as { draft: Draft | null };
      const same = other !== null && isSame(other.content, draft.content);
      if (other && !same && !isOwn(other, draft)) this.listener.onClash(item, other.content);
      this.rebase(item, other?.revision ?? null, same ? draft.content : undefined);
    } else if (!(error instanceof ApiError && error.status === 400)) {
      // It stays here until the server takes it: also where the graph is in the trash for now.
      this.schedule(item, AGAIN_MS);
    }
  }

  private readonly hear = ({ key, newValue }: StorageEvent): void => {
    if (!key?.startsWith(this.prefix)) return;
    const item = Number(key.slice(this.prefix.length));
    const other = newValue === null ? null : (JSON.parse(newValue) as LocalDraft);
    const entered = this.entered.get(item);
    if (other?.at && entered && other.at < entered.at) {
      // The other tab stored it before it saw what was entered here.
      this.store(item, { ...other, ...entered, saved: false });
      this.schedule(item);
      return;
    }
    this.entered.delete(item);
    clearTimeout(this.timers.get(item));
    this.timers.delete(item);
    this.held.delete(item);
    this.listener.onOther(item, other?.content ?? null);
  };

  private key(item: number): string {
    return `${this.prefix}${item}`;
  }

  private read(item: number): LocalDraft | null {
    const held = this.held.get(item);
    if (held) return held;
    try {
      return JSON.parse(localStorage.getItem(this.key(item)) ?? "null") as LocalDraft | null;
    } catch {
      return null;
    }
  }

  private store(item: number, draft: LocalDraft): void {
    try {
      localStorage.setItem(this.key(item), JSON.stringify(draft));
      this.held.delete(item);
    } catch {
      this.held.set(item, draft);
    }
  }

  private remove(item: number): void {
    this.held.delete(item);
    localStorage.removeItem(this.key(item));
  }
}
