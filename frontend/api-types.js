// Makes the types of the API from the file with its OpenAPI schema: `make api-types`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const target = fileURLToPath(new URL("./src/api/generated/schema.d.ts", import.meta.url));

const schema = JSON.parse(readFileSync(process.argv[2], "utf8"));
const types = astToString(await openapiTS(schema, { defaultNonNullable: false, immutable: true }));
// Left alone where nothing changed, so that the pages are not built again for it.
if (!existsSync(target) || readFileSync(target, "utf8") !== types) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, types);
}
