// What entities are called: their label says which one is meant, their name is what the reader calls it.

/** An entity, or an answer, as the server sends it. */
export interface Named {
  readonly label: string;
  /** In the reader's language, where it differs from the label. */
  readonly name?: string | undefined;
}

/** The name in the reader's language, else the label. */
export function nameOf({ name, label }: Named): string {
  return name ?? label;
}

const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });

/** What a language is called in English: "Brazilian Portuguese" of "pt-BR"; the tag itself where that is not known. */
export function languageText(tag: string): string {
  try {
    return LANGUAGES.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

export interface LanguageName {
  readonly language: string;
  readonly name: string;
  readonly is_main: boolean;
}

/** The names of each language, the one that is shown in it first. */
export function namesByLanguage(
  names: readonly LanguageName[],
): readonly [tag: string, names: readonly string[]][] {
  const found = new Map<string, string[]>();
  for (const { language, name, is_main } of names) {
    const before = found.get(language) ?? [];
    found.set(language, is_main ? [name, ...before] : [...before, name]);
  }
  return [...found].sort(([a], [b]) => languageText(a).localeCompare(languageText(b), "en"));
}
