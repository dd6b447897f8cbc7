import { expect, it } from "vitest";
import { languageText, nameOf, namesByLanguage } from "./entityNames";

it("prefers the name in the reader's language", () => {
  expect(nameOf({ label: "Germany", name: "Deutschland" })).toBe("Deutschland");
  expect(nameOf({ label: "Germany" })).toBe("Germany");
});

it("says what a language is called, and a tag that is none as it is", () => {
  expect(["de", "pt-BR", "zh-Hant", "not a tag"].map(languageText)).toEqual([
    "German",
    "Brazilian Portuguese",
    "Traditional Chinese",
    "not a tag",
  ]);
});

it("lists the shown name of each language first", () => {
  const names = [
    { language: "de", name: "BRD", is_main: false },
    { language: "de", name: "Deutschland", is_main: true },
    { language: "fr", name: "Allemagne", is_main: true },
  ];
  expect(namesByLanguage(names)).toEqual([
    ["fr", ["Allemagne"]],
    ["de", ["Deutschland", "BRD"]],
  ]);
});
