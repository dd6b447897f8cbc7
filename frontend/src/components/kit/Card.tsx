// A part of a page: its title, what stands beside it, and what can be done there.
import { useId, type ReactNode } from "react";
import { integer } from "@/view/format";

export interface CardProps {
  title: ReactNode;
  /** What addresses end with that lead here. */
  id?: string;
  /** How many things it lists. */
  count?: number | undefined;
  /** After the title. */
  beside?: ReactNode;
  /** At the end of the title's line. */
  acts?: ReactNode;
  /** Whether the title's line may become several. */
  wrap?: boolean;
  className?: string;
  children?: ReactNode;
}

export function Card({ title, id, count, beside, acts, wrap, className = "", children }: CardProps) {
  const titleId = useId();
  return (
    <section className={`card ${className}`.trim()} aria-labelledby={titleId} id={id}>
      <header className={wrap ? "wrap" : undefined}>
        <h2 id={titleId}>{title}</h2>
        {count !== undefined && <span className="muted tabular">{integer(count)}</span>}
        {beside}
        {acts && <span className="grow" />}
        {acts}
      </header>
      {children}
    </section>
  );
}
