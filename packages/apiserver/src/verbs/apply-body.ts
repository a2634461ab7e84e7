/** Bodies of server-side apply, in YAML, which includes JSON. */
import { parseJson, parseYaml } from "../request/content.ts";
import { repeatedKeys } from "../request/yaml-body.ts";
import { goTypeOf, isObject, type JsonObject } from "../internal/json.ts";
import { duplicateMembers } from "../internal/json-text.ts";
import { badRequest } from "../errors/status-errors.ts";

/** A configuration, and its repeated keys. */
export interface ParsedConfiguration {
  readonly config: JsonObject;
  /** Returns a problem for each repeated key. */
  repeated(): Promise<readonly string[]>;
}

/** Parses the configuration. An empty document is an empty configuration. @throws StatusError 400 */
export async function parseConfiguration(text: string): Promise<ParsedConfiguration> {
  const json = isJson(text) ? jsonIn(text) : undefined;
  const value = json ?? (await yamlIn(text));
  // Most configurations are JSON, and YAML is slow: to load and to parse.
  const repeated = async (): Promise<readonly string[]> =>
    json !== undefined && duplicateMembers(text, json).length === 0 ? [] : repeatedKeys(text);
  if (value === null || value === undefined) return { config: {}, repeated };
  if (isObject(value)) return { config: value, repeated };
  const cause = `json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${cause}`);
}

/** Returns the object, or `undefined` if the text is no JSON: it may be valid YAML. */
function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

async function yamlIn(text: string): Promise<unknown> {
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
