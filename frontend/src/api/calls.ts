// Calls by path, checked against the API's schema: their parameters, what they send and what they are answered.
import { request, requestFile, type Options, type Query } from "./client";
import type { paths } from "./generated/schema";
import type { Id } from "./types";

type Verb = "get" | "post" | "put" | "patch" | "delete";

/** The paths that know a verb, without the root that all have. */
export type PathOf<V extends Verb> = {
  [P in keyof paths]: paths[P][V] extends object ? (P extends `/api/v1/${infer Rest}` ? Rest : never) : never;
}[keyof paths];

type Operation<V extends Verb, P extends string> = paths[`/api/v1/${P}` & keyof paths][V];

/** All is text in an address, and comes from the page's own; what is null or empty is left out. */
type InAddress<T> = {
  [K in keyof T]:
    | (T[K] extends number | undefined ? Id : T[K] extends string | undefined ? string : T[K])
    | null
    | undefined;
};
/** `T`, and anything where the schema says that there is none. */
type Given<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type PathParams<O> = O extends { parameters: { path: infer T } } ? { [K in keyof T]: Id } : unknown;
type QueryParams<O> = O extends { parameters: { query?: infer T } } ? InAddress<Given<T>> : unknown;
type Params<O> = PathParams<O> & QueryParams<O>;

type Json<T> = T extends { content: { "application/json": infer Content } } ? Content : undefined;
type Body<O> = O extends { requestBody?: infer T } ? Json<Given<T>> : undefined;
type Success<T> = { [K in keyof T]: K extends 200 | 201 | 202 | 204 ? Json<T[K]> : never }[keyof T];
type Answer<O> = O extends { responses: infer T } ? Success<T> : never;

/** What a call sends. */
export type BodyOf<V extends Verb, P extends PathOf<V>> = Body<Operation<V, P>>;

/** What has to be given: neither parameters nor a body where the path has none. */
type First<O> = object extends Params<O> ? [params?: Params<O>] : [params: Params<O>];
type Second<O> = undefined extends Body<O> ? [body?: Body<O>] : [body: Body<O>];

/** The parameters of a call, as the arguments they are given as. */
export type ParamsOf<V extends Verb, P extends PathOf<V>> = First<Operation<V, P>>;

/** What a call is answered. */
export type AnswerOf<V extends Verb, P extends PathOf<V>> = Answer<Operation<V, P>>;

/** `path` with its own parameters filled in, and the others. */
export function addressOf(path: string, params: Query = {}): [path: string, query: Query] {
  const query = { ...params };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = query[name];
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
    delete query[name];
    return encodeURIComponent(String(value));
  });
  return [filled, query];
}

function caller<V extends Verb>(verb: V) {
  return <P extends PathOf<V>>(
    path: P,
    ...args: [...First<Operation<V, P>>, ...Second<Operation<V, P>>, options?: Options]
  ): Promise<Answer<Operation<V, P>>> => {
    const [params, body, options] = args as unknown as [params?: Query, body?: unknown, options?: Options];
    const [filled, query] = addressOf(path, params);
    return request(verb.toUpperCase(), filled, { ...options, query, body });
  };
}

export const post = caller("post");
export const put = caller("put");
export const patch = caller("patch");
export const remove = caller("delete");

export function get<P extends PathOf<"get">>(
  path: P,
  ...args: [...First<Operation<"get", P>>, options?: Options]
): Promise<Answer<Operation<"get", P>>> {
  const [params, options] = args as unknown as [params?: Query, options?: Options];
  const [filled, query] = addressOf(path, params);
  return request("GET", filled, { ...options, query });
}

/** Gets something to be saved as it is. */
export function getFile<P extends PathOf<"get">>(
  path: P,
  params: Params<Operation<"get", P>>,
): Promise<Blob> {
  return requestFile(...addressOf(path, params as Query));
}
