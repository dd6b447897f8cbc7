// A person deciding one item that analysts do not agree on, with what they entered before; it is kept as they go on.
import type { Item } from "@/api/review";
import type { Disagreement } from "@/api/reviewDeciding";
import { Drafts, contentOf, isSame, opinionFrom } from "./drafts";
import { openAnnotation, replaceOpinion, withItem, type Annotation, type Opinion } from "@/view/review";
import { sidesAnnotation } from "@/view/reviewSides";
import { toast } from "./toasts";

export class DecisionSession {
  private annotation: Annotation;
  private readonly drafts: Drafts;
  private readonly subscribers = new Set<() => void>();

  constructor(user: string, item: Item, sides: Disagreement) {
    this.drafts = new Drafts(user, "decision", {
      onOther: (changed, content) => {
        if (content && changed === item.id) this.take(opinionFrom(content));
      },
      onClash: (_, other) => {
        toast("You also began to decide this question on another device.", {
          ms: 15_000,
          act: { label: "Use that version", run: () => this.take(opinionFrom(other)) },
        });
      },
    });
    const draft = this.drafts.open(item);
    this.annotation = draft
      ? withItem(openAnnotation(item, opinionFrom(draft)), item)
      : sidesAnnotation(item, sides);
  }

  readonly start = (): (() => void) => this.drafts.start();

  readonly subscribe = (changed: () => void): (() => void) => {
    this.subscribers.add(changed);
    return () => this.subscribers.delete(changed);
  };

  readonly getAnnotation = (): Annotation => this.annotation;

  readonly change = (change: (annotation: Annotation) => Annotation): void => {
    const before = this.annotation;
    this.annotation = change(before);
    if (this.annotation.opinion !== before.opinion) {
      this.drafts.write(before.item.id, this.annotation.opinion);
    }
    for (const changed of this.subscribers) changed();
  };

  /** It was sent. */
  readonly forget = (): void => this.drafts.forget(this.annotation.item.id);

  private take(opinion: Opinion): void {
    this.change((now) =>
      isSame(contentOf(now.opinion), contentOf(opinion)) ? now : replaceOpinion(now, opinion),
    );
  }
}
