// What the kinds of entities look like: a colour by how common the kind is in its graph, and a picture by its name.
import type { Picture, PictureNode } from "@/api/explore";
import type { GraphModel } from "./graphModel";

/** The pictures that a kind may have; any other has the first letter of its name. */
export const PICTURES = {
  person:
    "M8 2.500a2.700 2.700 0 1 0 0 5.400 2.700 2.700 0 0 0 0-5.400zM2.800 14c.6-3 2.600-4.300 5.200-4.300s4.600 1.300 5.200 4.300z",
  place:
    "M8 1.500a4.500 4.500 0 0 0-4.500 4.500C3.500 9.500 8 14.500 8 14.500s4.500-5 4.500-8.500A4.500 4.500 0 0 0 8 1.500zM8 4.500a1.600 1.600 0 1 1 0 3.200 1.600 1.600 0 0 1 0-3.200z",
  flag: "M3 1.500h1.600V15H3zM5.400 2h8l-2 2.800 2 2.800h-8z",
  film: "M1.500 3h13v10h-13zM3 4.500v1.600h1.600V4.500zM3 7.200v1.600h1.600V7.200zM3 9.900v1.600h1.600V9.900zM11.400 4.500v1.600H13V4.500zM11.400 7.200v1.600H13V7.200zM11.400 9.900v1.600H13V9.900zM6 4.500v7h4v-7z",
  book: "M2 3c2.500-.8 4.300-.5 5.500.5v10c-1.200-1-3-1.300-5.500-.5zM14 3c-2.500-.8-4.300-.5-5.500.5v10c1.200-1 3-1.300 5.500-.5z",
  music: "M6 2.500l7.500-1.500v10a2.200 2 0 1 1-1.500-1.900V4.500L7.500 5.400v7.100A2.200 2 0 1 1 6 10.600z",
  company:
    "M2.500 14.500v-13h7v4h4v9zM4.500 3.500V5h1V3.500zM6.800 3.500V5h1V3.500zM4.500 6.500V8h1V6.500zM6.800 6.500V8h1V6.500zM4.500 9.500V11h1V9.500zM6.800 9.500V11h1V9.500zM11 7.500V9h1V7.500zM11 10.500V12h1v-1.500z",
  event:
    "M3 2.500h2V1h1.500v1.500h3V1H11v1.500h2a1 1 0 0 1 1 1V14H2V3.500a1 1 0 0 1 1-1zM3.500 6.500v6h9v-6z",
  nature: "M1 13.500L6 4l2.800 5 1.700-2.500 4.500 7z",
  speech: "M2 2.500h12v8.500H8l-3.500 3.500V11H2z",
  money:
    "M8 1.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM10 5.500H7.500v1.700H9.500V8.500H7.500v1H10V11H6V8.500H5V7.200h1V5a1 1 0 0 1 1-1h3z",
  award:
    "M4.500 1.500h7v2H14c0 3-1 4.300-3 4.700a3.500 3.500 0 0 1-2.200 1.700v2.600h2.200v2H5v-2h2.200V9.900A3.500 3.500 0 0 1 5 8.200C3 7.800 2 6.500 2 3.500h2.500z",
  thing: "M8 1.500l6 3v7l-6 3-6-3v-7zM8 3.300L4.300 5.100 8 7l3.700-1.900z",
} as const;

type PictureName = keyof typeof PICTURES;

const WORDS: Record<PictureName, string> = {
  person:
    "person people human author writer actor actress director player employee customer client student pupil teacher doctor patient scientist artist character spouse child parent user member manager politician",
  place: "city town village place location capital address region state county province continent landmark",
  flag: "country nation",
  film: "film movie show series programme episode",
  book: "book novel paper publication article play work document",
  music: "song track album record band",
  company:
    "company organisation organization university school college team club hospital department employer studio museum institution",
  event: "event game match tournament war battle meeting olympic year date flight",
  nature: "mountain river lake island sea ocean mountain desert animal species plant",
  speech: "language script alphabet",
  money: "currency price invoice order payment",
  award: "award prize medal",
  thing: "product item part device machine car vehicle",
};
const BY_WORD = new Map(
  Object.entries(WORDS).flatMap(([name, words]) =>
    words.split(" ").map((word): [string, PictureName] => [word, name as PictureName]),
  ),
);
/** Colours that are told apart; kinds beyond these have none. */
export const COLOURS = 8;

const singular = (word: string): string => word.replace(/ies$/u, "y").replace(/(?<!s)s$/u, "");

/** The picture of a kind, by the last word of its name that has one; else the first letter, in capitals. */
export function pictureOf(kind: string): string {
  const words = kind.toLowerCase().match(/\p{L}+/gu) ?? [];
  for (const word of words.reverse()) {
    const name = BY_WORD.get(word) ?? BY_WORD.get(singular(word));
    if (name) return name;
  }
  return (/\p{L}/u.exec(kind)?.[0] ?? "").toUpperCase();
}

export interface KindLook {
  kind: string;
  /** A name of `PICTURES`, or a letter. */
  picture: string;
  /** From 0; null for a kind that is not among the graph's commonest. */
  colour: number | null;
}

export function lookOf(kind: string, commonest: readonly string[]): KindLook {
  const at = commonest.indexOf(kind);
  return { kind, picture: pictureOf(kind), colour: at >= 0 && at < COLOURS ? at : null };
}

/** The drawing with the kinds and places of its entities, as a picture of them tells. */
export function withKinds(
  model: GraphModel,
  picture: Pick<Picture, "nodes" | "kinds"> | undefined,
): GraphModel {
  if (!picture) return model;
  const known = new Map<number, PictureNode>(picture.nodes.map((node) => [node.id, node]));
  return {
    ...model,
    nodes: model.nodes.map((node) => {
      const told = known.get(node.id);
      if (!told) return node;
      const look = told.type && node.kind === "entity" ? lookOf(told.type, picture.kinds) : null;
      return { ...node, ...(look && { look }), ...(told.place && { place: told.place }) };
    }),
  };
}

export interface KindCount extends KindLook {
  nodes: number[];
}

/** The kinds of a drawing with the entities of each, those with a colour first, as the graph orders them. */
export function kindsIn(model: GraphModel): KindCount[] {
  const found = new Map<string, KindCount>();
  for (const { id, look } of model.nodes) {
    if (!look) continue;
    const known = found.get(look.kind);
    if (known) known.nodes.push(id);
    else found.set(look.kind, { ...look, nodes: [id] });
  }
  return [...found.values()].sort(
    (a, b) =>
      (a.colour ?? COLOURS) - (b.colour ?? COLOURS) ||
      b.nodes.length - a.nodes.length ||
      (a.kind < b.kind ? -1 : 1),
  );
}
