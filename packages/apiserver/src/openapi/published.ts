/**
 * The schemas of the built-in kinds as a real server publishes them, with descriptions. They are large and seldom used, so
 * the data is a separate module, which is loaded with the first document.
 */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { JsonObject } from "../internal/json.ts";

export interface Published {
  /** Returns the full name of the definition of a kind or of its list. */
  nameOf(apiVersion: string, kind: string): string | undefined;
  /** Returns a definition by its full name, with full names in its references. @throws Error when there is none */
  definition(name: string): JsonObject;
}

let loading: Promise<Published> | undefined;

/** Loads the data once for all servers, because it never changes. */
export function loadPublished(): Promise<Published> {
  return (loading ??= load());
}

async function load(): Promise<Published> {
  const { PUBLISHED } = await import("./published-data.ts");
  const text = `\n${String(await promisify(brotliDecompress)(Buffer.from(PUBLISHED, "base64")))}\n`;
  const definition = (name: string): JsonObject => {
    const start = text.indexOf(`\n${name} {`);
    if (start < 0) throw new Error(`there is no published schema named ${name}`);
    return JSON.parse(text.slice(start + name.length + 2, text.indexOf("\n", start + 1))) as JsonObject; // written by scripts/openapi.ts
  };
  const kinds = new Map(Object.entries(definition("kinds") as Readonly<Record<string, string>>));
  return { nameOf: (apiVersion, kind) => kinds.get(`${apiVersion} ${kind}`), definition };
}
