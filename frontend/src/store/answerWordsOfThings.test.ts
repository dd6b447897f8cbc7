// Sentences of answers that are things: found by a path, or a set that several steps leave.
import { describe, expect, it } from "vitest";
import type { Answer, EvidenceChain } from "@/api/events";
import { run, said, type Told } from "@/test/sentences";
import { EVENTS, NODES, RUN } from "@/test/switzerland";
import { answerSentence } from "./answerWords";
import { viewAt, type RunView } from "./runView";
import { listed } from "./words";

describe("a path", () => {
  const view = viewAt(RUN, EVENTS, EVENTS.length);
  const [chain] = view.chains;
  const answer = (label: string, id: number): Answer => ({
    ...{ label, score: 0.9, entity: { id, label, kind: "entity" }, chains: [0], verified: true },
    ...{ citations: [], guess: false, beside: [] },
  });
  const one = (name: string, label: string, inverse = false): RunView => ({
    ...view,
    ...{ text: "", answers: [answer("Bern", NODES.bern.id)] },
    chains: chain
      ? [{ ...chain, steps: [{ name, label, inverse }], levels: [[NODES.bern]], level_counts: [1] }]
      : [],
  });

  it("of one relation is a sentence", () => {
    expect(answerSentence(one("capital", "capital"))).toBe("The capital of Switzerland is Bern.");
    expect(answerSentence(one("governed_from", "governed from"))).toBe("Switzerland is governed from Bern.");
  });

  it("of several relations says what they lead to", () => {
    const step = (name: string, label: string) => ({ name, label, inverse: false });
    const [bern] = one("", "").chains;
    const steps = [step("borders", "borders"), step("official_language", "official language")];
    expect(answerSentence({ ...one("", ""), chains: bern ? [{ ...bern, steps }] : [] })).toBe(
      "Bern: the official language of what Switzerland borders.",
    );
  });

  it("against a relation says it as it is said, or leaves it to its chain", () => {
    expect(answerSentence(one("directed_by", "directed by", true))).toBe("Bern is directed by Switzerland.");
    expect(answerSentence(one("capital", "capital", true))).toBe("Switzerland is the capital of Bern.");
  });

  it("of single things tells fact after fact", () => {
    const step = (name: string, label: string) => ({ name, label, inverse: false });
    const [bern] = one("", "").chains;
    const walk = {
      ...{ steps: [step("written_by", "written by"), step("birthplace", "birthplace")] },
      ...{ levels: [[NODES.austria], [NODES.bern]], level_counts: [1, 1] },
    };
    expect(answerSentence({ ...one("", ""), chains: bern ? [{ ...bern, ...walk }] : [] })).toBe(
      "Switzerland was written by Austria, and the birthplace of Austria is Bern.",
    );
  });

  it("against a verb says who does it", () => {
    const view = one("works_at", "works at", true);
    expect(answerSentence(view)).toBe("Bern works at Switzerland.");
    const both = [...view.answers, answer("Basel", 99)];
    expect(answerSentence({ ...view, answers: both })).toBe("Bern and Basel work at Switzerland.");
    expect(answerSentence(one("nationality", "nationality", true))).toBe("Bern: nationality Switzerland.");
  });

  it("is not said where it is a guess, or where a language model wrote the answer", () => {
    const bern = one("capital", "capital");
    expect(
      answerSentence({ ...bern, answers: bern.answers.map((one) => ({ ...one, guess: true })) }),
    ).toBeNull();
    expect(answerSentence({ ...bern, text: "It is Bern." })).toBeNull();
  });
});

describe("what is said of things", () => {
  const set = (names: readonly string[], ...steps: readonly string[]) =>
    said(
      "Filter",
      steps.map((text): Told => [text, names.length]),
      names,
    );

  it("has no noun twice, and none that only stands in for one", () => {
    expect(set(["Elbe", "Rhine"], "those in Germany (country)", "that are rivers", "that are rivers")).toBe(
      "2 rivers in Germany: Elbe and Rhine.",
    );
    expect(
      set(
        ["Aurelia", "Borealis"],
        "those that have capacity tbps",
        "that land at Selby",
        "manufactured by Nordkabel",
      ),
    ).toBe("Aurelia and Borealis land at Selby and are manufactured by Nordkabel.");
    expect(set(["Mia", "Ola"], "those whose race is elf", "whose home town is Lornmere")).toBe(
      "Mia and Ola have the race elf and the home town Lornmere.",
    );
  });

  it("says what is so and what is not", () => {
    expect(set(["Tea", "Rice"], "products", "whose hardy is yes")).toBe(
      "2 products that are hardy: Tea and Rice.",
    );
    expect(set(["Tea"], "products", "whose hand dyed? is no")).toBe("1 product that is not hand dyed: Tea.");
    expect(set(["Cosigal"], "volcanoes", "whose crater lake is yes")).toBe(
      "1 volcano with a crater lake: Cosigal.",
    );
    expect(set(["Chad"], "countries", "leave out those that border something")).toBe(
      "1 country that does not border anything: Chad.",
    );
    const left: Told[] = [
      ["orders", 9],
      ["leave out those that have a collected", 4],
      ["count them", "4"],
    ];
    expect(said("Count", left, ["4"])).toBe("4 orders are not collected.");
    expect(
      said(
        "Count",
        [
          ["orders", 9],
          ["leave out those whose collected is yes", 4],
          ["count them", "4"],
        ],
        ["4"],
      ),
    ).toBe("4 orders are not collected.");
    expect(
      said(
        "Exists",
        [
          ["the alive of Old Marrow", 1],
          ["that are true", 0],
          ["is there any?", "no"],
        ],
        ["no"],
      ),
    ).toBe("No: Old Marrow is not alive.");
  });

  it("says when and how much in words, and in the unit of the column", () => {
    expect(set(["A", "B"], "batches", "with made on ≥ 2024-04-01", "with made on < 2024-05-01")).toBe(
      "2 batches made in April 2024: A and B.",
    );
    expect(set(["A"], "incidents", "with OPENED ON > 1 June 2024")).toBe(
      "1 incident opened after 1 June 2024: A.",
    );
    expect(set(["A1", "A2"], "rooms", "with seats ≥ 25")).toBe("2 rooms with at least 25 seats: A1 and A2.");
    expect(set(["Tea"], "products", "with price (gbp) > 3.5")).toBe(
      "1 product with a price over £3.50: Tea.",
    );
    const dearest: Told[] = [
      ["products", 8],
      ["the one with the largest price (gbp)", 1],
    ];
    expect(said("Top", dearest, ["Coffee"], ["6.2"])).toBe("Coffee, £6.20: the highest price of 8 products.");
    const mean: Told[] = [
      ["products", 8],
      ["average of their price (gbp)", "3.2625"],
    ];
    expect(said("Fold", mean, ["3.2625"])).toBe("The average price of 8 products is £3.26.");
    expect(said("Walk", [["the rent eur of Mill Studio", 1]], ["560"])).toBe(
      "The rent of Mill Studio is €560.",
    );
  });

  it("keeps names apart that run from right to left", () => {
    expect(listed(["حلب", "دمشق"])).toBe("\u2068حلب\u2069 and \u2068دمشق\u2069");
    expect(listed(["Ann", "Bo"])).toBe("Ann and Bo");
  });

  it("of the answers before tells how many are kept", () => {
    const steps: Told[] = [
      ["those whose mountain range is Alps", 8],
      ["their mountain in country", 6],
      ["that are Austria, Belgium or 7 others", 3],
    ];
    expect(said("And", steps, ["Austria", "France", "Switzerland"])).toBe(
      "3 of the 9: Austria, France and Switzerland.",
    );
  });

  it("counts without the words of what counts", () => {
    const most: Told[] = [
      ["cargos", 8],
      ["the one with the most those that have an arrival date with this cargo", 1],
    ];
    expect(said("Top", most, ["containers"], ["3"])).toBe("containers, 3: the most of 8 cargos.");
    expect(
      said(
        "Count",
        [
          ["lighthouses", 12],
          ["count them", "12"],
        ],
        ["12"],
      ),
    ).toBe("There are 12 lighthouses.");
  });
});

describe("what things do, by paths against their relations", () => {
  const node = (id: number, label: string) => ({ id, label, kind: "entity" as const });
  const step = (label: string, inverse: boolean) => ({ name: label, label, inverse });
  const chain = (source: string, steps: EvidenceChain["steps"]): EvidenceChain => ({
    ...{ source: node(100, source), steps, levels: [], level_counts: steps.map(() => 2) },
    ...{ hops: [], merged_with: [1], score: 0.9 },
  });
  const told = (names: readonly string[], chains: readonly EvidenceChain[]) => {
    const { answers, ...view } = run("Walk", [], names);
    const all = answers.map((one, id) => ({
      ...{ ...one, entity: node(id, one.label), chains: chains.map((_, index) => index) },
    }));
    return answerSentence({ ...view, answers: all, chains, program: null });
  };

  it("is said as what they do or are, of many and of one", () => {
    const work = chain("Acme", [step("works at", true)]);
    const paid = chain("Acme", [step("paid by", true)]);
    expect(told(["Ada Lind", "Bo Berg"], [work, paid])).toBe(
      "Ada Lind and Bo Berg work at Acme and are paid by Acme.",
    );
    const written = chain("Emma", [step("author", false), step("written by", true)]);
    expect(told(["Persuasion", "Lady Susan"], [written])).toBe(
      "Persuasion and Lady Susan were written by the author of Emma.",
    );
    expect(told(["Persuasion"], [written])).toBe("Persuasion was written by the author of Emma.");
  });
});
