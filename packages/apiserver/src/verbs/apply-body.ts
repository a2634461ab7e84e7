/** Bodies of server-side apply, in YAML, which includes JSON. */
import { parseJson, parseYaml } from "../request/content.ts";
import { goTypeOf, isObject, type JsonObject } from "../internal/json.ts";
import { badRequest } from "../errors/status-errors.ts";

/** Parses the configuration. An empty document is an empty configuration. @throws StatusError 400 */
export async function parseConfiguration(text: string): Promise<JsonObject> {
  const value = await parseText(text);
  if (value === null || value === undefined) return {};
  if (isObject(value)) return value;
  const cause = `json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${cause}`);
}

async function parseText(text: string): Promise<unknown> {
  if (isJson(text)) {
    try {
      return parseJson(text);
    } catch (error) {
      // The text may be valid YAML.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  try {
    return await parseYaml(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${error.message}`);
  }
}

function isJson(text: string): boolean {
  return /^\s*\{/.test(text);
}
