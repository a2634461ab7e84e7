/** Reads the output of `helm template`: objects, with the templates that they come from. */
import { groupKindOf, groupOf } from "@treadle/apimachinery";
import type { Manifest, ObjectPolicies } from "@treadle/dependents";
import { objectsIn, readYaml, YamlError } from "@treadle/dependents/unstable/render";
import { isFields } from "../fields.ts";
import { type AnnotationContext, readAnnotations, withPolicies } from "./annotations.ts";
import { DOCUMENT_TOO_LONG, eachDocument, MAX_DOCUMENT_LENGTH } from "../files/documents.ts";
import { type CrdCache, mayBeCrd } from "./crd-cache.ts";

/** What decides how an output is read. */
export interface OutputContext extends AnnotationContext {
  /** Returns why the set refuses objects of a kind. @defaultValue all kinds are allowed */
  readonly refusalOf?: ((name: Pick<Manifest, "apiVersion" | "kind">) => string | undefined) | undefined;
  /** The CRDs of earlier outputs. */
  readonly crds: CrdCache;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** The objects of a chart; `problems`: what is wrong, by template. One of the two is empty. */
export interface ReadOutput {
  readonly objects: readonly Manifest[];
  readonly problems: readonly string[];
}

/** Reads the output of a rendering. It lets other work run in between. */
export async function readOutput(stdout: string, context: OutputContext): Promise<ReadOutput> {
  const found: Found[] = [];
  const problems: string[] = [];
  let template = "the output";
  await eachDocument(stdout, context.signal, (text) => {
    // Helm writes a comment with the template at the beginning of each document, and documents of CRD files have none.
    template = /^\s*# Source: ([^\r\n]+)/.exec(text)?.[1] ?? template;
    readDocument({ template, text }, context, { found, problems });
  });
  return problems.length > 0 ? { objects: [], problems } : { objects: together(found), problems };
}

interface TextDocument {
  /** The path of the template in the chart. */
  readonly template: string;
  readonly text: string;
}

/** An object with its policies. */
interface Found {
  readonly manifest: Manifest;
  readonly policies: ObjectPolicies;
  readonly isHook: boolean;
}

interface Collected {
  readonly found: Found[];
  readonly problems: string[];
}

/** Helm runs no hooks of the files in `crds/`. */
const CRD_FILE = /^[^/]+(?:\/charts\/[^/]+)*\/crds\//;

function readDocument({ template, text }: TextDocument, context: OutputContext, { found, problems }: Collected): void {
  if (text.length > MAX_DOCUMENT_LENGTH) return void problems.push(`${template}: ${DOCUMENT_TOO_LONG}`);
  const parse = (yaml: string): readonly unknown[] => valuesIn(yaml, (problem) => problems.push(`${template}: ${problem}`));
  for (const value of mayBeCrd(text) ? context.crds.read(text, parse) : parse(text)) {
    const problem = problemOf(value);
    if (problem !== undefined) {
      problems.push(`${template}: ${problem}`);
      continue;
    }
    const manifest = withoutNulls(value as Manifest); // problemOf() has checked it.
    const read = readAnnotations(manifest, { ...context, isCrdFile: CRD_FILE.test(template) });
    if (read.type === "refused") problems.push(`${template}: ${titleOf(manifest)} ${read.problem}`);
    else if (read.type === "object") found.push({ manifest, policies: read.policies, isHook: read.isHook });
    else if (read.type === "later") {
      // Else an installation would be ready, and its first upgrade would fail.
      const refusal = context.refusalOf?.(manifest);
      if (refusal !== undefined) problems.push(`${template}: ${titleOf(manifest)} is a hook of upgrades, and ${refusal}`);
    }
  }
}

function valuesIn(text: string, report: (problem: string) => void): readonly unknown[] {
  try {
    return readYaml(text, { keys: "any" }).flatMap(({ value }) => objectsIn(value));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    report(`the output is not YAML, in line ${error.line} of the document: ${error.message}`);
    return [];
  }
}

function problemOf(value: unknown): string | undefined {
  if (!isFields(value)) return "a document is not an object: remove it, or render a map";
  const { apiVersion, kind, metadata } = value;
  if (typeof kind !== "string" || kind === "") return "an object has no kind";
  if (typeof apiVersion !== "string" || apiVersion === "") return `a ${kind} has no apiVersion`;
  if (!isFields(metadata)) return `a ${kind} has no metadata.name`;
  const { name, generateName } = metadata;
  if ((name === undefined || name === null) && generateName !== undefined)
    return `a ${kind} has generateName: give it a name, because its object could not be found again`;
  if (typeof name !== "string" || name === "") return `a ${kind} has no text as metadata.name`;
  for (const field of ["labels", "annotations"]) {
    const texts = metadata[field] ?? {};
    if (!isFields(texts) || Object.values(texts).some((text) => typeof text !== "string" && text !== null))
      return `the ${kind} ${name} has a value that is not a text in metadata.${field}: put it in quotes`;
  }
  return undefined;
}

/** A null is an absent text for Helm. */
function withoutNulls(manifest: Manifest): Manifest {
  const { labels, annotations, ...others } = manifest.metadata;
  if (!hasNull(labels) && !hasNull(annotations)) return manifest;
  return { ...manifest, metadata: { ...others, ...textsIn("labels", labels), ...textsIn("annotations", annotations) } };
}

function hasNull(texts: object | null | undefined): boolean {
  return texts === null || Object.values(texts ?? {}).includes(null);
}

function textsIn(field: "labels" | "annotations", texts: Readonly<Record<string, string>> | null | undefined): object {
  return { [field]: Object.fromEntries(Object.entries(texts ?? {}).filter(([, text]) => (text as string | null) !== null)) };
}

/**
 * Charts may render an object twice: for a hook and for the release, such as a ServiceAccount. Helm creates it before the hook, deletes it
 * with the hook, and creates it again. In the set it is one object: that of the release, applied as early as the hook.
 */
function together(found: readonly Found[]): readonly Manifest[] {
  const hooks = new Map(found.flatMap((each) => (each.isHook ? [[keyOf(each.manifest), each] as const] : [])));
  const others = new Set(found.flatMap((each) => (each.isHook ? [] : [keyOf(each.manifest)])));
  return found.flatMap((each) => {
    const key = keyOf(each.manifest);
    if (each.isHook && others.has(key)) return [];
    const apply = each.isHook ? undefined : hooks.get(key)?.policies.apply;
    return [withPolicies(each.manifest, apply === undefined ? each.policies : { ...each.policies, apply: Math.min(apply, 0) })];
  });
}

function keyOf({ apiVersion, kind, metadata }: Manifest): string {
  return `${groupKindOf({ group: groupOf(apiVersion), kind })} ${metadata.namespace ?? ""}/${metadata.name}`;
}

function titleOf({ kind, metadata }: Manifest): string {
  return `the ${kind} ${metadata.name}`;
}
