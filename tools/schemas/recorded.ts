/** The documents of `/openapi/v3` that a real server published; the server in memory serves what was recorded. */
import { join } from "node:path";
import { createApiServer } from "@treadle/apiserver";
import { root } from "../src/workspaces.ts";
import type { OpenApiSchema } from "./generate.ts";

/** The generated file. */
export const definitionsFile: string = join(root, "packages/apimachinery/src/schemas/definitions.ts");

/** Returns the definitions of a document of the recorded server, by their full names. */
export async function recordedDocument(document: string): Promise<Readonly<Record<string, OpenApiSchema>>> {
  const transport = createApiServer().transport();
  const path = `/openapi/v3/${document}`;
  const { status, body } = await transport.request({ method: "GET", path, headers: { accept: "application/json" } });
  if (status !== 200 || body === undefined) throw new Error(`GET ${path}: ${status}`);
  await transport.close();
  return parsed(body);
}

/** Returns the definitions of a document. */
export function parsed(document: string): Readonly<Record<string, OpenApiSchema>> {
  const { components } = JSON.parse(document) as {
    readonly components: { readonly schemas: Readonly<Record<string, OpenApiSchema>> };
  };
  return components.schemas;
}
