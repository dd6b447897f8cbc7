// The sections of a long page, each with an address of its own.
import { useEffect } from "react";
import { Link, useLocation } from "react-router";

export interface Section {
  id: string;
  label: string;
}

interface Props {
  sections: readonly Section[];
  /** Whether they are in their places, so that an address can lead to one. */
  ready: boolean;
}

export function Sections({ sections, ready }: Props) {
  const { hash, key, search } = useLocation();
  useEffect(() => {
    const section = hash && ready ? document.getElementById(hash.slice(1)) : null;
    if (!section) return;
    section.tabIndex = -1;
    section.focus({ preventScroll: true });
    section.scrollIntoView();
  }, [hash, key, ready]);
  return (
    <nav className="sections small" aria-label="On this page">
      {sections.map(({ id, label }) => (
        <Link key={id} to={`${search}#${id}`} replace>
          {label}
        </Link>
      ))}
    </nav>
  );
}
