// A page: its title, also in the browser's tab, what stands beside it, and what can be done there.
import type { ReactNode } from "react";
import { Link } from "react-router";
import { integer } from "@/view/format";
import { useTitle } from "./hooks";

interface Props {
  title: string;
  /** In the place of the title, on the page alone. */
  heading?: ReactNode;
  /** The page it belongs to: its name and its address. */
  within?: readonly [name: string, to: string];
  /** How many things it lists. */
  count?: number | undefined;
  /** After the title. */
  beside?: ReactNode;
  /** At the end of the title's line. */
  acts?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

export function Page({ title, heading = title, within, count, beside, acts, wide, children }: Props) {
  useTitle(title);
  return (
    <div className={wide ? "page wide" : "page"}>
      {within && (
        <p className="crumb small">
          <Link to={within[1]}>{within[0]}</Link> <span className="muted">/</span>
        </p>
      )}
      <div className="page-head">
        <h1>{heading}</h1>
        {count !== undefined && <span className="muted tabular">{integer(count)}</span>}
        {beside}
        <span className="grow" />
        {acts}
      </div>
      {children}
    </div>
  );
}
