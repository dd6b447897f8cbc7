// Names in a row, the first dozen of many.
import { useState } from "react";
import { Button } from "@/components/kit/controls";
import { integer } from "@/view/format";

const NAMES = 12;

export function Names({
  label,
  names,
  none = "",
}: {
  label: string;
  names: readonly string[];
  none?: string;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? names : names.slice(0, NAMES);
  return (
    <p>
      <span className="label">{label}</span>{" "}
      {shown.map((name, at) => (
        <span key={name}>
          {at > 0 && "; "}
          <bdi>{name}</bdi>
        </span>
      ))}
      {names.length === 0 && <span className="muted">{none}</span>}{" "}
      {names.length > NAMES && (
        <Button look="link" className="small" onPress={() => setAll(!all)}>
          {all ? "fewer" : `and ${integer(names.length - NAMES)} more`}
        </Button>
      )}
    </p>
  );
}
