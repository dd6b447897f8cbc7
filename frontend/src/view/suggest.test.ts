import { expect, it } from "vitest";
import { complete, fragmentAt, offered } from "./suggest";

const at = (text: string) => fragmentAt(text, text.length)?.query ?? null;

it("looks up the capitalised words before the caret", () => {
  expect(at("films like Catch Me I")).toBe("Catch Me I");
  expect(at("who directed Jaw")).toBe("Jaw");
  expect(at("countries that border Switzerland")).toBe("Switzerland");
});

it("takes everything after an @, capital or not", () => {
  expect(at("who directed @catch me if")).toBe("catch me if");
  expect(at("who directed @")).toBeNull();
});

it("looks up lower-case words behind those that no name begins with, and offers names that begin so", () => {
  expect(fragmentAt("capital of new york", 19)).toEqual({
    start: 11,
    end: 19,
    query: "new york",
    plain: true,
  });
  expect(at("population of germ")).toBe("germ");
  const plain = fragmentAt("population of germ", 18);
  const found = [{ label: "Germany" }, { label: "East Germany" }, { label: "Gerona" }];
  expect(offered(plain, found)).toEqual([{ label: "Germany" }]);
  expect(offered(fragmentAt("@germ", 5), found)).toEqual(found);
});

it("stays quiet on question words", () => {
  expect(at("which languages are")).toBeNull();
  expect(at("who is in")).toBeNull();
  expect(at("Which")).toBeNull();
  expect(at("Which France")).toBe("France");
  expect(at("countries that border Switzerland ")).toBeNull();
});

it("puts the chosen name in, with a space where one is needed", () => {
  const text = "who directed Catch M now";
  const fragment = fragmentAt(text, 20);
  expect(fragment).toEqual({ start: 13, end: 20, query: "Catch M" });
  expect(fragment && complete(text, fragment, "Catch Me If You Can")).toEqual({
    text: "who directed Catch Me If You Can now",
    caret: 32,
  });
  const open = fragmentAt("@jaw", 4);
  expect(open && complete("@jaw", open, "Jaws")).toEqual({ text: "Jaws ", caret: 5 });
});
