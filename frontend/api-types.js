// Makes the types of the API from the file with its OpenAPI schema: `make api-types`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString, BOOLEAN, NUMBER, STRING } from "openapi-typescript";
import ts from "typescript";

const target = fileURLToPath(new URL("./src/api/generated/schema.d.ts", import.meta.url));
const ITEMS = { boolean: BOOLEAN, number: NUMBER, string: STRING };

/** `x-tuple` names the types of an array's places, which OpenAPI 3.0 has no word for. */
function transform(schema) {
  if (!("x-tuple" in schema)) return undefined;
  const tuple = ts.factory.createTupleTypeNode(schema["x-tuple"].map((name) => ITEMS[name]));
  return ts.factory.createTypeOperatorNode(ts.SyntaxKind.ReadonlyKeyword, tuple);
}

const schema = JSON.parse(readFileSync(process.argv[2], "utf8"));
const types = astToString(await openapiTS(schema, { defaultNonNullable: false, immutable: true, transform }));
// Left alone where nothing changed, so that the pages are not built again for it.
if (!existsSync(target) || readFileSync(target, "utf8") !== types) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, types);
}
