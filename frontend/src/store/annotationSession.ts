// An analyst judging the questions of one queue: the one before them, and the next one already loaded. What is submitted
// goes out in the background, one after the other, and is kept in the browser until the server has answered.
import type { ApiError } from "@/api/client";
import {
  loadItem,
  nextItem,
  redoLast,
  releaseItem,
  submitItem,
  undoLast,
  type Conflict,
  type Item,
} from "@/api/review";
import {
  covers,
  unanswered,
  wantsMore,
  type Contested,
  type Listener,
  type SessionState,
} from "./annotationState";
import { Drafts, contentOf, isSame, opinionFrom } from "./drafts";
import { elide } from "@/view/format";
import { NOTHING_LOADED, advance, drop, holding, putFirst, receive, revise } from "@/view/loadedItems";
import {
  judgementOf,
  missing,
  openAnnotation,
  opinionOf,
  replaceOpinion,
  stepBack,
  stepOn,
  withItem,
  type Annotation,
  type Opinion,
} from "@/view/review";
import { toast } from "./toasts";
import { forgetUnsent, keepUnsent, unsentOf, type Unsent } from "./unsent";

/** How long after the server did not answer it is asked again. */
const AGAIN_MS = 5000;
/** How many items the server lets one hold. */
const HELD = 5;

export class AnnotationSession {
  state: SessionState = {
    ...NOTHING_LOADED,
    ...{ error: null, busy: false, canRedo: false, unsent: [], unsentBecause: null, contested: [] },
  };
  private readonly queue: string;
  private readonly user: string;
  /** The item that was asked for by address; null once it is there. */
  private first: number | null;
  private readonly listener: Listener;
  private subscribers = new Set<() => void>();
  private outbox: readonly Unsent[] = [];
  private opinions = new Map<number, Opinion>();
  private readonly drafts: Drafts;
  private tail: Promise<unknown> = Promise.resolve();
  private again: ReturnType<typeof setTimeout> | undefined;
  private travels = 0;
  private readonly travelIds = new Map<"undo" | "redo", string>();
  private redoable = false;
  private stopped = true;

  constructor(queue: string, user: string, first: number | null, listener: Listener) {
    this.queue = queue;
    this.user = user;
    this.first = first;
    this.listener = listener;
    this.drafts = new Drafts(user, "judgement", {
      onOther: (item, content) => {
        // Submitted in the other tab: what is here can still be submitted, and is asked about then.
        if (content) this.adopt(item, opinionFrom(content));
      },
      onClash: (item, other) => {
        toast("You also began this question on another device.", {
          ms: 15_000,
          act: { label: "Use that version", run: () => this.swap(item, opinionFrom(other)) },
        });
      },
    });
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.subscribers.add(changed);
    return () => this.subscribers.delete(changed);
  };

  readonly getState = (): SessionState => this.state;

  readonly start = (): (() => void) => {
    this.stopped = false;
    this.outbox = unsentOf(this.user, this.queue);
    if (this.outbox.length) this.send();
    this.load();
    this.topUp();
    window.addEventListener("online", this.begin);
    const stopDrafts = this.drafts.start();
    return () => {
      this.stopped = true;
      window.removeEventListener("online", this.begin);
      clearTimeout(this.again);
      stopDrafts();
      // Others may have what is not begun here; if this is not heard, the reservations run out.
      for (const one of [this.state.current, ...this.state.ahead]) {
        const begun = one && (one.opinion.broken || missing(one) < one.item.candidates.length);
        if (one && !begun) void releaseItem(one.item.id).catch(() => undefined);
      }
    };
  };

  readonly change = (change: (annotation: Annotation) => Annotation): void => {
    const { current } = this.state;
    const changed = current && change(current);
    this.keepDraft(current, changed);
    this.set({ current: changed });
  };

  readonly submit = (): void => {
    const { current } = this.state;
    const judgement = current && judgementOf(current, crypto.randomUUID());
    if (!judgement) return;
    const { id, question } = current.item;
    this.opinions.set(id, current.opinion);
    this.drafts.forget(id);
    this.set(advance(this.state));
    this.post({ user: this.user, queue: this.queue, item: id, question, at: Date.now(), judgement });
  };

  readonly undo = (): void => {
    const back = this.state.current && stepBack(this.state.current);
    if (back) this.change(() => back);
    else if (!this.state.busy) this.travel(() => this.takeBack());
  };

  readonly redo = (): void => {
    const on = this.state.current && stepOn(this.state.current);
    if (on) this.change(() => on);
    else if (!this.redoable) toast("There is nothing to redo.");
    else if (!this.state.busy) this.travel(() => this.doAgain());
  };

  readonly open = (id: number): void => {
    if (id === this.state.current?.item.id) return;
    const known = this.state.ahead.find((one) => one.item.id === id);
    if (known) {
      this.set(putFirst(this.state, known));
      return;
    }
    void loadItem(id).then((item) => {
      this.set(putFirst(this.state, this.opened(item)));
      this.listener.onLoaded(item);
    }, this.listener.onError);
  };

  /** Look again: after an error, where nothing was left, or when the network is back. */
  readonly begin = (): void => {
    this.set({ error: null });
    this.send();
    if (this.state.current === null) this.load();
  };

  /** Give up what the server does not take; it stays a draft where the server has one. */
  readonly discardUnsent = (): void => {
    for (const one of this.outbox) forgetUnsent(one.judgement.id);
    this.outbox = [];
    this.keep([]);
  };

  readonly sendAgain = (): void => void this.flush().catch(this.listener.onError);

  readonly settle = (which: Contested, how: "add" | "leave" | "look"): void => {
    const { item, mine } = which;
    this.set({ contested: this.state.contested.filter((one) => one !== which) });
    forgetUnsent(mine.judgement.id);
    if (how === "look") {
      this.set(putFirst(this.state, this.opened(item, this.returning(mine))));
    } else if (how === "add") {
      const { version, shown } = item;
      const judgement = { ...mine.judgement, id: crypto.randomUUID(), version, shown };
      this.post({ ...mine, at: Date.now(), judgement });
    }
  };

  /** An item before its analyst, with what they began to say of it. */
  private opened(item: Item, opinion?: Opinion): Annotation {
    const draft = this.drafts.open(item);
    if (opinion) this.drafts.write(item.id, opinion);
    const known = opinion ?? (draft && opinionFrom(draft)) ?? opinionOf(item.mine);
    return withItem(openAnnotation(item, known), item);
  }

  private keepDraft(before: Annotation | null, after: Annotation | null): void {
    if (!after || after.opinion === before?.opinion) return;
    this.redoable = false;
    this.drafts.write(after.item.id, after.opinion);
  }

  /** Show what another tab made of an item. */
  private adopt(item: number, opinion: Opinion): void {
    const isNews = (one: Annotation) => !isSame(contentOf(one.opinion), contentOf(opinion));
    this.set(revise(this.state, item, (one) => (isNews(one) ? replaceOpinion(one, opinion) : one)));
  }

  private swap(item: number, opinion: Opinion): void {
    this.adopt(item, opinion);
    this.drafts.write(item, opinion);
  }

  private set(change: Partial<SessionState>): void {
    const before = this.state;
    const next = { ...before, ...change };
    const canRedo = this.redoable || (next.current?.future.length ?? 0) > 0;
    this.state = { ...next, canRedo, busy: this.travels > 0 };
    for (const changed of this.subscribers) changed();
    const moved = before.current?.item.id !== next.current?.item.id;
    // What was just submitted goes out first, and mostly brings the next one.
    if (wantsMore(next) && (moved || !wantsMore(before))) queueMicrotask(() => this.topUp());
  }

  /** What the server must not give: what is loaded, and what it has not heard of. It takes so many. */
  private held(): number[] {
    return [...new Set([...holding(this.state), ...this.outbox.map((one) => one.item)])].slice(0, HELD);
  }

  /** One after the other, in the order they were asked for. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.tail.then(work, work);
    this.tail = turn.catch(() => undefined);
    return turn;
  }

  private take(item: Item | null): void {
    // Judged already, and not sent yet: the server cannot know.
    if (item && this.outbox.some((one) => one.item === item.id)) return;
    this.set(receive(this.state, item && this.opened(item)));
    if (item) this.listener.onLoaded(item);
  }

  private load(): void {
    const work = async () => {
      const { first } = this;
      const item = first === null ? (await nextItem(this.queue, this.held())).item : await loadItem(first);
      this.first = null;
      const open = { ...this.state, empty: false };
      // First, also where something that was still to be sent has brought the next one.
      const annotation = item && this.opened(item);
      this.set(first === null || !annotation ? receive(open, annotation) : putFirst(open, annotation));
      if (item) this.listener.onLoaded(item);
    };
    void this.inTurn(work).catch((error: unknown) => this.fail(error));
  }

  /** The next question cannot be loaded for now: looked for again after a while. */
  private fail(error: unknown): void {
    this.set({ error: error as Error });
    if (unanswered(error) && !this.stopped) {
      clearTimeout(this.again);
      this.again = setTimeout(this.begin, AGAIN_MS);
    }
  }

  private topUp(): void {
    const work = async () => {
      if (this.stopped || this.state.empty || this.state.ahead.length > 0) return;
      const { item } = await nextItem(this.queue, this.held());
      this.take(item !== null && holding(this.state).includes(item.id) ? null : item);
    };
    void this.inTurn(work).catch((error: unknown) => {
      // While there is something to judge, the next one comes with its submission.
      if (this.state.current === null) this.fail(error);
    });
  }

  private post(entry: Unsent): void {
    keepUnsent(entry);
    this.outbox = [...this.outbox, entry];
    this.redoable = false;
    this.travelIds.clear();
    this.set({});
    this.send();
  }

  /** Send what waits; what the server does not answer is shown, and sent again after a while. */
  private readonly send = (): void => void this.flush().catch(() => undefined);

  /** Send what waits, the oldest first; stops where the server does not answer. */
  private flush(): Promise<void> {
    return this.inTurn(async () => {
      for (let entry = this.outbox[0]; entry; entry = this.outbox[0]) {
        try {
          await this.deliver(entry);
        } catch (error) {
          this.keep(this.outbox, error as Error);
          throw error;
        }
        this.outbox = this.outbox.filter((one) => one !== entry);
      }
      if (this.state.unsent.length) this.keep([]);
    });
  }

  /** Fails where the server does not answer, and then it is still kept. */
  private async deliver(entry: Unsent): Promise<void> {
    // A draft that arrives after its submission would stand beside it.
    await this.drafts.settled();
    try {
      const { item, next } = await submitItem(entry.item, entry.judgement, this.held());
      forgetUnsent(entry.judgement.id);
      this.take(next);
      this.listener.onRowChanged(item);
    } catch (error) {
      if (unanswered(error)) throw error;
      await this.refused(entry, error as ApiError);
    }
  }

  private keep(unsent: readonly Unsent[], because: Error | null = null): void {
    clearTimeout(this.again);
    if (unsent.length && !this.stopped) this.again = setTimeout(this.begin, AGAIN_MS);
    this.set({ unsent: [...unsent], unsentBecause: because });
  }

  private async refused(entry: Unsent, error: ApiError): Promise<void> {
    if (error.code === "judged_meanwhile") {
      // It stays kept: after a reload it is asked about again.
      const { item } = error.body as Conflict;
      if (covers(entry, item)) {
        this.set({ contested: [...this.state.contested, { item, mine: entry }] });
        return;
      }
    }
    const opinion = this.returning(entry);
    if (error.code === "decided") {
      // It counts again when the decision is taken back and it is submitted then.
      if (opinion) this.drafts.write(entry.item, opinion);
    } else {
      // It changed, or something is missing: back before the analyst with it, and what was said of it.
      this.set(putFirst(this.state, this.opened(await loadItem(entry.item), opinion)));
    }
    forgetUnsent(entry.judgement.id);
    this.listener.onError(error);
  }

  /** What a judgement said that comes back before its analyst, unless they entered something since. */
  private returning({ item, at, judgement }: Unsent): Opinion | undefined {
    if (this.drafts.isChangedSince(item, at)) return undefined;
    return this.opinions.get(item) ?? opinionFrom(judgement);
  }

  /** Let the server bring an item back, or say again what was taken back. */
  private travel(work: () => Promise<void>): void {
    this.travels += 1;
    this.set({});
    void this.flush()
      .then(() => this.inTurn(work))
      .catch(this.listener.onError)
      .finally(() => {
        this.travels -= 1;
        this.set({});
        this.listener.onProgress();
      });
  }

  /** The same until it is answered: what a silent network let through is not done twice. */
  private travelId(way: "undo" | "redo"): string {
    const id = this.travelIds.get(way) ?? crypto.randomUUID();
    this.travelIds.set(way, id);
    return id;
  }

  private async takeBack(): Promise<void> {
    const { item } = await undoLast(this.queue, this.travelId("undo"));
    this.travelIds.clear();
    const { current } = this.state;
    this.redoable = true;
    // What is before the analyst stays there: a path that was added to it is taken back.
    this.set(
      current?.item.id === item.id
        ? { current: withItem(current, item) }
        : putFirst({ ...this.state, empty: false }, this.opened(item, this.opinions.get(item.id))),
    );
    this.listener.onItemChanged(item.id);
    this.listener.onLoaded(item);
    this.listener.onRowChanged(item);
    toast(`Taken back: ${elide(item.question, 60)}`, { ms: 3000 });
  }

  private async doAgain(): Promise<void> {
    const { item } = await redoLast(this.queue, this.travelId("redo"));
    this.travelIds.clear();
    const { current } = this.state;
    this.redoable = false;
    if (item.mine !== null) this.drafts.forget(item.id);
    this.set(
      item.mine === null && current?.item.id === item.id
        ? { current: withItem(current, item) }
        : drop(this.state, item.id),
    );
    this.listener.onItemChanged(item.id);
    this.listener.onRowChanged(item);
    toast(`Done again: ${elide(item.question, 60)}`, { ms: 3000 });
  }
}
