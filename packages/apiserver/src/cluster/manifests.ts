/** Reads the manifests of a folder, sorts them so that they can be created, and creates them. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApiRequest } from "@treadle/apimachinery";
import { BodyError, parseBody } from "../request/content.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt } from "../internal/read.ts";
import type { ApiServer } from "../api-server.ts";
import { LocalClusterError, reasonOf } from "./errors.ts";

/** One object of a file. */
export interface FileManifest {
  /** The object, as the file has it: with `apiVersion` and `kind`. */
  readonly object: { readonly [field: string]: unknown };
  /** File, and the number of the document in a file with several; for messages. */
  readonly where: string;
}

/**
 * Reads each `.yaml`, `.yml` and `.json` file of a folder and its subfolders, in the order of their paths. Lists are split;
 * `kustomization` files are skipped. @throws LocalClusterError
 */
export async function readManifests(dir: string): Promise<readonly FileManifest[]> {
  const files = await filesOf(dir);
  const found: FileManifest[] = [];
  for (const file of files) found.push(...(await readManifestFile(join(dir, file))));
  return found;
}

/** Creates the objects in their order. An existing object is merged. @throws LocalClusterError */
export async function createManifests(server: ApiServer, manifests: readonly FileManifest[]): Promise<void> {
  for (const manifest of inOrder(manifests)) await create(server, manifest);
}

/** Returns the manifests in the order in which they can be created: CRDs first, then namespaces, then the others. */
export function inOrder(manifests: readonly FileManifest[]): readonly FileManifest[] {
  return manifests.toSorted((a, b) => rankOf(a.object) - rankOf(b.object));
}

async function filesOf(dir: string): Promise<readonly string[]> {
  let entries: readonly string[];
  try {
    entries = await readdir(dir, { recursive: true });
  } catch (error) {
    throw problem(`cannot read the folder ${dir}: ${reasonOf(error)}. Name a folder that exists`, error);
  }
  return entries.filter((file) => /\.(ya?ml|json)$/i.test(file) && !/(^|[\\/])kustomization\.ya?ml$/i.test(file)).toSorted();
}

async function readManifestFile(file: string): Promise<readonly FileManifest[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw problem(`cannot read ${file}: ${reasonOf(error)}`, error);
  }
  const isJson = /\.json$/i.test(file);
  // As for kubectl, a document begins at a line that begins with three dashes.
  const documents = isJson ? [text] : text.replace(/^\uFEFF/, "").split(/^---(?=\s|$).*$/m);
  const found: FileManifest[] = [];
  for (const [index, document] of documents.entries()) {
    const number = text.startsWith("---") ? index : index + 1;
    const where = documents.length === 1 ? file : `${file}, document ${number}`;
    const value = await parse(document, isJson, where);
    if (value === null) continue;
    found.push(...objectsOf(value, where));
  }
  return found;
}

async function parse(document: string, isJson: boolean, where: string): Promise<unknown> {
  if (document.trim() === "") return null;
  try {
    return await parseBody(document, isJson ? "json" : "yaml");
  } catch (error) {
    if (error instanceof BodyError)
      throw problem(`${where}: ${error.message.replace(/:$/, "")}. Correct the file, or take it out of the folder`, error);
    throw error;
  }
}

function objectsOf(value: unknown, where: string): readonly FileManifest[] {
  if (!isObject(value)) throw problem(`${where}: this is not an object with apiVersion and kind`);
  const { kind, items } = value;
  if (typeof kind === "string" && kind.endsWith("List") && Array.isArray(items))
    return items.flatMap((item, index) => objectsOf(item, `${where}, item ${index + 1}`));
  if (!value["apiVersion"] || !kind) throw problem(`${where}: apiVersion or kind is missing`);
  return [{ object: value, where }];
}

function rankOf({ kind }: JsonObject): number {
  return kind === "CustomResourceDefinition" ? 0 : kind === "Namespace" ? 1 : 2;
}

async function create(server: ApiServer, { object, where }: FileManifest): Promise<void> {
  const metadata = objectAt(object, "metadata");
  const name = String(metadata["name"] ?? metadata["generateName"] ?? "");
  const what = `${where}: cannot create ${String(object["kind"])} ${name}`;
  const resource = await resourceOf(server, object);
  if (resource === undefined)
    throw problem(`${what}: the server has no such kind in ${String(object["apiVersion"])}; add its CRD to the manifests`);
  const namespace = resource.isNamespaced ? `/namespaces/${encodeURIComponent(String(metadata["namespace"] ?? "default"))}` : "";
  const path = `${resource.root}${namespace}/${resource.plural}`;
  const created = await send(server, "POST", path, object);
  if (created.status < 300) return;
  const isThere = created.status === 409 && created.body["reason"] === "AlreadyExists";
  const merged = isThere ? await send(server, "PATCH", `${path}/${encodeURIComponent(name)}`, object) : created;
  if (merged.status >= 300) throw problem(`${what}: ${String(merged.body["message"])}`);
}

async function resourceOf(
  server: ApiServer,
  { apiVersion, kind }: JsonObject,
): Promise<{ readonly root: string; readonly plural: string; readonly isNamespaced: boolean } | undefined> {
  const root = `${String(apiVersion).includes("/") ? "/apis" : "/api"}/${String(apiVersion)}`;
  const { status, body } = await send(server, "GET", root);
  const resources = status === 200 ? listAt(body, "resources") : [];
  const found = resources.find((one) => one["kind"] === kind && !String(one["name"]).includes("/"));
  return found === undefined ? undefined : { root, plural: String(found["name"]), isNamespaced: found["namespaced"] === true };
}

async function send(
  server: ApiServer,
  method: ApiRequest["method"],
  path: string,
  object?: JsonObject,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const body = object === undefined ? {} : { body: JSON.stringify(object) };
  const headers = { accept: "application/json", "content-type": type, "user-agent": "treadle-cluster" };
  const response = await server.handle({ method, path, headers, ...body });
  const isJson = response.headers["content-type"]?.includes("json") === true;
  const answer: unknown = isJson ? JSON.parse(response.body ?? "null") : undefined;
  return { status: response.status, body: objectAt(answer) };
}

function problem(message: string, cause?: unknown): LocalClusterError {
  return new LocalClusterError("ERR_MANIFEST", message, cause === undefined ? undefined : { cause });
}
