import { describe, expect, it } from "vitest";
import type { Answer, EvidenceChain } from "@/api/events";
import { COUNT, programRun } from "@/test/program";
import { run, said, type Told } from "@/test/sentences";
import { RUN } from "@/test/switzerland";
import { answerSentence, ownersOf } from "./answerWords";
import { viewAt } from "./runView";
import { listed } from "./words";

describe("values of several things", () => {
  const owned = (
    owners: readonly string[],
    values: readonly string[],
    text: string,
    kind: "entity" | "literal" = "literal",
  ) => {
    const told = run("Walk", [[text, values.length]], values);
    const step = { name: "population", label: "population", inverse: false };
    const node = (id: number, label: string, kind: "entity" | "literal") => ({ id, label, kind });
    const chains = owners.map((owner, id): EvidenceChain => {
      const [source, target] = [node(id + 100, owner, "entity"), node(id, values[id] ?? "", kind)];
      return {
        ...{ source, steps: [step], levels: [[target]], level_counts: [1], merged_with: [], score: 0.9 },
        hops: [{ step, source, target, verified: true }],
      };
    });
    const answers = told.answers.map((answer, id): Answer => ({
      ...answer,
      chains: [id],
      entity: node(id, answer.label, kind),
    }));
    return { ...told, answers, chains };
  };

  it("are told with what they are of", () => {
    const view = owned(["Niger", "Chad"], ["27200000", "17700000"], "the population of Niger and Chad");
    expect([...ownersOf(view)]).toEqual([
      [0, "Niger"],
      [1, "Chad"],
    ]);
    expect(answerSentence(view)).toBe("Population: Niger 27,200,000 and Chad 17,700,000.");
  });

  it("of which each has its own are told with whose they are", () => {
    const view = owned(["Niger", "Chad"], ["Niamey", "N'Djamena"], "the capital of Niger and Chad", "entity");
    expect(answerSentence(view)).toBe("Capitals: Niamey (Niger) and N'Djamena (Chad).");
    const shared = owned(
      ["Chad", "Chad", "Mali"],
      ["French", "Arabic", "Bambara"],
      "the language of Chad",
      "entity",
    );
    expect(ownersOf(shared).size).toBe(0);
  });

  it("of one thing need not say so", () => {
    const view = owned(["Chad", "Chad"], ["French", "Arabic"], "the language of Chad");
    expect(ownersOf(view).size).toBe(0);
    expect(answerSentence(view)).toBe("Chad has 2 languages: French and Arabic.");
  });
});

it("says a relation that is a verb as one", () => {
  expect(said("Walk", [["the owns of Ann", 2]], ["Low Tide", "High Tide"])).toBe(
    "Ann owns Low Tide and High Tide.",
  );
});

describe("each of some things", () => {
  it("has its number, largest first", () => {
    const steps: Told[] = [
      ["product categories", 3],
      ["each with its number of products", 3],
    ];
    expect(said("Top", steps, ["Confections", "Beverages", "Produce"], ["13", "12", "5"])).toBe(
      "Number of products: Confections 13, Beverages 12 and Produce 5.",
    );
  });

  it("has its first, with its value", () => {
    const steps: Told[] = [
      ["products", 77],
      ["of each product category the one with the largest unit price", 2],
    ];
    const groups = ["Beverages", "Meat"];
    expect(said("Top", steps, ["Côte de Blaye", "Thüringer"], ["263.5", "123.79"], groups)).toBe(
      "Of each product category the one with the largest unit price: Côte de Blaye (Beverages, 263.5) and Thüringer (Meat, 123.79).",
    );
  });
});

it("says most and fewest of what is counted, and totals of what has them", () => {
  const top = (text: string) =>
    said(
      "Top",
      [
        ["books", 7],
        [`the one with ${text}`, 1],
      ],
      ["Salt"],
      ["502"],
    );
  expect(top("the largest pages")).toBe("Salt, 502: the most pages of 7 books.");
  expect(top("the smallest pages")).toBe("Salt, 502: the fewest pages of 7 books.");
  expect(top("the largest mass")).toBe("Salt, 502: the largest mass of 7 books.");
  expect(top("the largest total amount of things with this customer")).toBe(
    "Salt, 502: the largest total amount of 7 books.",
  );
});

it("of those that were named before tells how many were kept", () => {
  const steps: Told[] = [
    ["Austria, Belgium and 7 others", 9],
    ["member of European Union", 2],
  ];
  expect(said("Filter", steps, ["Austria", "Belgium"])).toBe("2 of the 9: Austria and Belgium.");
});

describe("a count", () => {
  it("of what has no noun says what it has", () => {
    const cats: Told[] = [["those whose species is cat", 2]];
    expect(said("Count", [...cats, ["count them", "2"]], ["2"])).toBe("2 have the species cat.");
    expect(
      said(
        "Fold",
        [
          ["those whose customer is Ann", 2],
          ["sum of their amount", "78.9"],
        ],
        ["78.9"],
      ),
    ).toBe("The total amount of the 2 whose customer is Ann is 78.9.");
    expect(
      said(
        "Walk",
        [
          ["those whose customer is Bob", 1],
          ["their product", 1],
        ],
        ["Kettle"],
      ),
    ).toBe("The product of the one whose customer is Bob: Kettle.");
  });

  it("says how many of what", () => {
    const countries: Told = ["countries", 196];
    const count = (kept: number, ...steps: Told[]) =>
      said("Count", [countries, ...steps, ["count them", String(kept)]], [String(kept)]);
    expect(count(9, ["that are the borders of Germany", 9])).toBe("9 countries border Germany.");
    expect(count(9, ["that Germany borders", 9])).toBe("9 countries border Germany.");
    expect(count(1, ["that are the borders of Portugal", 1])).toBe("1 country borders Portugal.");
    expect(count(53, ["in Africa (continent)", 53])).toBe("53 countries are in Africa.");
    expect(count(0, ["in Atlantis (continent)", 0])).toBe("No countries are in Atlantis.");
  });

  it("says of a thing how many it has", () => {
    const four: Told[] = [
      ["the official language of Switzerland", 4],
      ["count them", "4"],
    ];
    expect(said("Count", four, ["4"])).toBe("Switzerland has 4 official languages.");
    const films: Told[] = [
      ["those directed by Alfred Hitchcock", 11],
      ["count them", "11"],
    ];
    expect(said("Count", films, ["11"])).toBe("11 are directed by Alfred Hitchcock.");
  });
});

describe("a ranking", () => {
  const countries: Told[] = [
    ["countries", 196],
    ["in Africa (continent)", 53],
  ];

  it("says the value, and among how many", () => {
    const told: Told[] = [...countries, ["the one with the largest population", 1]];
    expect(said("Top", told, ["Nigeria"], ["223,800,000", "126,500,000"])).toBe(
      "Nigeria, 223,800,000: the largest population of 53 countries in Africa.",
    );
    const rivers: Told[] = [
      ["those in Asia (continent)", 50],
      ["that are rivers", 22],
      ["the one with the second largest length", 1],
    ];
    expect(said("Top", rivers, ["Yellow River"], ["5,464 km"])).toBe(
      "Yellow River, 5,464 km: the second largest length of 22 rivers in Asia.",
    );
  });

  it("says only the number where the steps make no phrase", () => {
    const told: Told[] = [
      ["those in Africa (continent)", 54],
      ["those whose flows through is one of these", 6],
      ["the one with the largest length", 1],
    ];
    expect(said("Top", told, ["Nile"], ["6,650 km"])).toBe("Nile, 6,650 km: the largest length of 6.");
  });

  it("names several", () => {
    const told: Told[] = [...countries, ["the 3 with the largest area", 3]];
    expect(said("Top", told, ["Algeria", "Congo", "Sudan"], ["1", "2"])).toBe(
      "Algeria, Congo and Sudan: the 3 with the largest area of 53 countries in Africa.",
    );
  });
});

describe("yes and no", () => {
  const ask = (answer: "yes" | "no", one: Told, other: Told) =>
    said("Exists", [one, other, ["is there any?", answer]], [answer]);

  it("says what is so", () => {
    expect(ask("yes", ["Berlin", 1], ["that are the capital of Germany", 1])).toBe(
      "Yes: Berlin is the capital of Germany.",
    );
    expect(ask("yes", ["Leo", 1], ["that are lions", 1])).toBe("Yes: Leo is a lion.");
    expect(ask("yes", ["Ella", 1], ["that are elephants", 1])).toBe("Yes: Ella is an elephant.");
    expect(ask("yes", ["what Germany borders", 9], ["that are France", 1])).toBe(
      "Yes: France borders Germany.",
    );
    expect(ask("yes", ["the borders of Germany", 9], ["that are France", 1])).toBe(
      "Yes: France borders Germany.",
    );
    expect(ask("yes", ["the languages of Chad", 2], ["that are French", 1])).toBe(
      "Yes: French is one of the languages of Chad.",
    );
  });

  it("says what is so instead", () => {
    const view = run(
      "Exists",
      [
        ["Paris", 1],
        ["that are the capital of Germany", 0],
        ["is there any?", "no"],
      ],
      ["no"],
    );
    const berlin = { id: 1, label: "Berlin", kind: "entity" as const };
    const germany = { id: 2, label: "Germany", kind: "entity" as const };
    const chain = {
      ...{ source: germany, levels: [[berlin]], level_counts: [1], hops: [], score: 0.8, merged_with: [] },
      steps: [{ name: "capital", label: "capital", inverse: false }],
    };
    expect(answerSentence({ ...view, chains: [chain] })).toBe(
      "No: Paris is not the capital of Germany. The capital of Germany is Berlin.",
    );
  });

  it("compares", () => {
    expect(said("Holds", [["is K2’s elevation > Lhotse’s elevation?", "yes"]], ["yes"])).toBe(
      "Yes: K2’s elevation > Lhotse’s elevation.",
    );
  });
});

it("says a sum and an average, with what they are of", () => {
  const lions: Told[] = [
    ["lions", 2],
    ["sum of their weight", "316 kg"],
  ];
  expect(said("Fold", lions, ["316 kg"])).toBe("The total weight of 2 lions is 316 kg.");
  const stock: Told[] = [
    ["parts", 10],
    ["sum of their stock × unit price (gbp)", "43,937.91"],
  ];
  expect(said("Fold", stock, ["43,937.91"])).toBe(
    "The total of stock times unit price of 10 parts is £43,937.91.",
  );
  const peaks: Told[] = [
    ["those whose mountain in country is Nepal", 5],
    ["average of their elevation", "8,505.4 m"],
  ];
  expect(said("Fold", peaks, ["8,505.4 m"])).toBe(
    "The average elevation of the 5 whose mountain in country is Nepal is 8,505.4 m.",
  );
});

it("says what a set is, and who is in it", () => {
  const high: Told[] = [
    ["mountains", 51],
    ["with elevation > 8500 m", 4],
  ];
  expect(said("Filter", high, ["K2", "Kangchenjunga", "Lhotse", "Mount Everest"])).toBe(
    "4 mountains with an elevation over 8,500 m: K2, Kangchenjunga, Lhotse and Mount Everest.",
  );
  const old: Told[] = [
    ["those that have a birth year", 566],
    ["with birth year < 1500", 2],
  ];
  expect(said("Filter", old, ["Dante", "Raphael"])).toBe("Dante and Raphael have a birth year before 1500.");
  expect(said("Walk", [["the keeper of Leo", 1]], ["Maria Lopez"])).toBe("The keeper of Leo is Maria Lopez.");
  expect(said("Walk", [["what Pip is lives in", 1]], ["Ice Hall"])).toBe("Pip lives in Ice Hall.");
  expect(said("KeyOf", [["the population of Chad", "17,700,000"]], ["17,700,000"])).toBe(
    "The population of Chad is 17,700,000.",
  );
  expect(said("Difference", [["the difference of 230 and 135", "95"]], ["95"])).toBe(
    "The difference of 230 and 135 is 95.",
  );
});

it("reads the recorded runs", () => {
  const events = programRun();
  expect(answerSentence(viewAt(RUN, events, events.length))).toBe(
    "Algeria, 2,381,741 km²: the largest area of 3 countries in Africa.",
  );
  const counted = programRun(COUNT, "3");
  expect(answerSentence(viewAt(RUN, counted, counted.length))).toBe("3 countries are in Africa.");
});

it("lists names as people do", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c", "d"], ["a", "b", "c", "d", "e"]].map(listed)).toEqual([
    ...["", "a", "a and b", "a, b, c and d", "a, b, c and 2 others"],
  ]);
});
