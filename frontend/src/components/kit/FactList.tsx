// A nested record as lines of name and value, for manifests and settings.
function flat(value: unknown, name = ""): [string, string][] {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flat(inner, name ? `${name}.${key}` : key));
  }
  return [[name, typeof value === "string" ? value : JSON.stringify(value)]];
}

export function FactList({ of }: { of: Record<string, unknown> }) {
  return (
    <dl className="facts fact-list">
      {flat(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name.replaceAll("_", " ")}</dt>
          <dd className="mono">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
