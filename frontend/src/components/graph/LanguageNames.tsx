// What an entity is called in languages, folded away.
import { languageText, namesByLanguage, type LanguageName } from "@/view/entityNames";
import { count } from "@/view/format";

export function LanguageNames({ names }: { names: readonly LanguageName[] }) {
  const languages = namesByLanguage(names);
  if (!languages.length) return null;
  return (
    <details className="language-names small">
      <summary>Names in {count(languages.length, "language")}</summary>
      <dl className="facts-list">
        {languages.map(([tag, [shown, ...others]]) => (
          <div key={tag}>
            <dt className="muted">{languageText(tag)}</dt>
            <dd lang={tag}>
              <bdi>{shown}</bdi>
              {others.length > 0 && <span className="muted">, {others.join(", ")}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
