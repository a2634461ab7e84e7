/** Reads one rendered value as an object of a set. Renderers are functions of authors: they may return anything. */
import { dns1123LabelProblems, isDns1123Label, keyOf, MAX_SUBDOMAIN_LENGTH, parseApiVersion } from "@treadle/apimachinery";
import { isPromiseLike, isSegment, misuse, truncate } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer, shownAnswer } from "../../core/ask.ts";
import { plainJson } from "../../core/json.ts";
import type { Manifest } from "./member.ts";

type Fields = Readonly<Record<string, unknown>>;
type Refuse = (problem: string) => Error;

/**
 * Returns a rendered value as a manifest: plain JSON with an identity. Its metadata has name, namespace, labels, annotations and
 * finalizers only; `null` counts as absent there, as YAML templates leave it. All other fields stay as they are.
 *
 * @param where what the error begins with: the step, and the position of the value, such as `step "stack": object 3`
 * @throws TypeError for what is not an object of Kubernetes; it names kind and name as far as they are known
 */
export function readManifest(value: unknown, where: string): Manifest {
  requireOneObject(value, (problem) => misuse("ERR_INVALID_STEP", `${where} ${problem}`));
  const title = called(where, () => titled(where, value as Fields)); // A getter of the author may throw.
  const refuse: Refuse = (problem) => misuse("ERR_INVALID_STEP", `${title} ${problem}`);
  // plainJson() keeps the shape of an object.
  const json = called(title, () => plainJson(title, value)) as Fields;
  const { apiVersion, kind } = json;
  requireType(apiVersion, kind, refuse);
  if (Array.isArray(json["items"]) && String(kind).endsWith("List"))
    throw refuse("is a list of objects: return its items one by one, such as `...list.items`");
  const { metadata } = json;
  if (!isFields(metadata)) throw refuse(`has ${nameOfAnswer(metadata)} as metadata: set metadata.name`);
  // requireType() has checked both.
  return { ...json, apiVersion: apiVersion as string, kind: kind as string, metadata: metadataOf(metadata, refuse) };
}

function requireOneObject(value: unknown, refuse: Refuse): void {
  if (isPromiseLike(value)) throw refuse(`is ${nameOfAnswer(value)}: await it before it is returned`);
  if (Array.isArray(value)) throw refuse("is a list: return one flat list, such as by flatMap() or `...objects`");
  if (value === undefined || value === null || value === false)
    throw refuse(`is ${nameOfAnswer(value)}: leave out what is not desired, such as by \`...(isOn ? [object] : [])\``);
  if (typeof value !== "object") throw refuse(`is ${nameOfAnswer(value)}: return objects with apiVersion, kind and metadata`);
}

/** Returns the object in messages: what is known of its kind and name. */
export function titled(where: string, { kind, metadata }: Fields): string {
  const { name, namespace } = isFields(metadata) ? metadata : {};
  const text = typeof name !== "string" ? "" : keyOf(typeof namespace === "string" ? { name, namespace } : { name });
  const known = [typeof kind === "string" ? kind : "", text].filter((part) => part !== "").join(" ");
  return known === "" ? where : `${where} (${truncate(known, 400)})`;
}

function requireType(apiVersion: unknown, kind: unknown, refuse: Refuse): void {
  if (typeof apiVersion !== "string" || apiVersion === "")
    throw refuse(`has ${shownAnswer(apiVersion)} as apiVersion: set it, such as "apps/v1"`);
  if (typeof kind !== "string" || kind === "") throw refuse(`has ${shownAnswer(kind)} as kind: set it, such as "Deployment"`);
  const isVersion = isParsed(apiVersion) && apiVersion.split("/").every((part) => part !== "" && isName(part));
  if (!isVersion) throw refuse(`has ${shownAnswer(apiVersion)} as apiVersion: write "version" or "group/version"`);
  if (!isName(kind)) throw refuse(`has ${shownAnswer(kind)} as kind: write a name such as "Deployment"`);
}

function isParsed(apiVersion: string): boolean {
  try {
    parseApiVersion(apiVersion);
    return true;
  } catch {
    return false;
  }
}

function metadataOf(metadata: Fields, refuse: Refuse): Manifest["metadata"] {
  const { name, generateName, labels, annotations, finalizers } = metadata;
  const namespace = metadata["namespace"] ?? "";
  if (generateName !== undefined && generateName !== null && generateName !== "")
    throw refuse("has metadata.generateName: set metadata.name, so that each pass finds the same object");
  if (typeof name !== "string" || name === "") throw refuse(`has ${shownAnswer(name)} as metadata.name: set it`);
  if (!isName(name) || name.length > MAX_SUBDOMAIN_LENGTH)
    throw refuse(
      `has ${shownAnswer(name)} as metadata.name: write at most ${MAX_SUBDOMAIN_LENGTH} characters, without "/", "%" and white space`,
    );
  if (typeof namespace !== "string") throw refuse(`has ${shownAnswer(namespace)} as metadata.namespace: write a text`);
  if (namespace !== "" && !isDns1123Label(namespace))
    throw refuse(`has ${shownAnswer(namespace)} as metadata.namespace: ${dns1123LabelProblems(namespace).join("; ")}`);
  if (finalizers !== undefined && finalizers !== null && !isTextList(finalizers))
    throw refuse("has metadata.finalizers that are not a list of texts");
  return {
    name,
    ...(namespace === "" ? {} : { namespace }),
    ...textsOf("labels", labels, refuse),
    ...textsOf("annotations", annotations, refuse),
    ...(isTextList(finalizers) ? { finalizers } : {}),
  };
}

function textsOf(field: "labels" | "annotations", texts: unknown, refuse: Refuse): Pick<Manifest["metadata"], "labels" | "annotations"> {
  if (texts === undefined || texts === null) return {};
  if (!isFields(texts)) throw refuse(`has ${nameOfAnswer(texts)} as metadata.${field}: write an object of texts`);
  const wrong = Object.entries(texts).find(([, text]) => typeof text !== "string");
  if (wrong !== undefined)
    throw refuse(`has ${nameOfAnswer(wrong[1])} in metadata.${field} as ${shownAnswer(wrong[0])}: write a text, in YAML with quotes`);
  return { [field]: texts };
}

/** Whether a text can be a name. Names of some kinds are not DNS names: those of roles have colons. */
function isName(text: string): boolean {
  return isSegment(text) && !/\s/.test(text);
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
