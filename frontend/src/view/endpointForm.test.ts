import { expect, it } from "vitest";
import { blankForm, complaints, connectionOf, formOf } from "./endpointForm";

const good = { ...blankForm, name: "Films", url: " https://host/sparql " };

it("sends what was typed, without the spaces around it", () => {
  expect(connectionOf({ ...good, languages: "en,  de pt-BR", named_graph: " http://x/g " })).toEqual({
    url: "https://host/sparql",
    named_graph: "http://x/g",
    languages: ["en", "de", "pt-BR"],
    hops: 2,
    max_triples: 5000,
    per_entity: 100,
    timeout: 20,
  });
});

it("finds nothing wrong with a name, an address and the usual limits", () => {
  expect(complaints(good)).toEqual({});
  expect(complaints({ ...good, languages: "", timeout: "0.5" })).toEqual({});
});

it("names each field that cannot be sent", () => {
  expect(complaints({ ...blankForm, url: "ftp://x" })).toEqual({
    name: "Give the graph a name.",
    url: "Type an address of http or https.",
  });
  expect(complaints({ ...good, hops: "5", max_triples: "1.5", per_entity: "", timeout: "61" })).toEqual({
    hops: "Type a whole number from 1 to 4.",
    max_triples: "Type a whole number from 1 to 100,000.",
    per_entity: "Type a whole number from 1 to 10,000.",
    timeout: "Type a number from 0.5 to 60.",
  });
  expect(complaints({ ...good, languages: "en, d!" })).toEqual({
    languages: "“d!” is no language. Write en, de, pt-BR or their like.",
  });
});

it("shows an endpoint as it would be typed", () => {
  const connection = connectionOf(good);
  const endpoint = { ...connection, checked_at: "", took_ms: 3, named: true, error: null };
  expect(connectionOf(formOf("Films", endpoint))).toEqual(connection);
});
