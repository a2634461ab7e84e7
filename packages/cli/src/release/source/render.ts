/** Renders the sources of a release, each by the renderer that operators use. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type KubernetesObject, systemClock } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { manifests, type RenderContext, type Renderer } from "@treadle/dependents";
import { readManifests } from "@treadle/dependents/unstable/render";
import { clusterFacts } from "@treadle/dependents/unstable/run";
import { helm, kustomize } from "@treadle/generators";
import { CliError } from "../../cli-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { digestOfData, type SourceNote } from "../store/record.ts";
import { type Source, sourceOf } from "./classify.ts";
import { type ValueFlags, valuesOf } from "./values.ts";

/** What sources are rendered for. */
export interface RenderRequest {
  readonly name: string;
  readonly namespace: string;
  /** The revision that the rendering becomes, if it differs from the present one. */
  readonly revision: number;
  readonly client: Client;
  readonly terminal: Pick<Terminal, "input" | "apart" | "signal">;
}

/** The objects of a release, and where they come from. */
export interface RenderedSources {
  readonly objects: readonly KubernetesObject[];
  readonly sources: readonly SourceNote[];
  readonly values: Readonly<Record<string, unknown>>;
}

/** @throws CliError that names the source, and errors of the client */
export async function renderSources(words: readonly string[], flags: ValueFlags, request: RenderRequest): Promise<RenderedSources> {
  const input = standardInput(request.terminal, [...words, ...(flags.values ?? [])].filter((word) => word === "-").length);
  const values = await valuesOf(flags, input);
  const found = await Promise.all(words.map(async (word) => ({ word, source: await sourceOf(word) })));
  const takesValues = found.some(({ source }) => source.type === "chart" || source.type === "module");
  if (Object.keys(values).length > 0 && !takesValues)
    throw new CliError(`-f and --set give values, and none of the sources takes them: ${words.join(", ")}; charts and modules do`);
  const context = await contextOf(request);
  const rendered: { readonly note: SourceNote; readonly objects: readonly KubernetesObject[] }[] = [];
  for (const { word, source } of found) {
    const objects = await rendering(word, async () => await objectsOf(source, { values, input, context, request }));
    rendered.push({ objects, note: { source: word, type: TYPES[source.type], digest: digestOfData(objects), objects: objects.length } });
  }
  const objects = rendered.flatMap((each) => each.objects);
  if (objects.length === 0)
    throw new CliError(
      `the sources have no objects: ${words.join(", ")}; to remove all objects of the release: treadle delete ${request.name}`,
    );
  const record = objects.find(({ kind, metadata }) => kind === "Secret" && metadata.name.startsWith("treadle-release."));
  if (record !== undefined)
    throw new CliError(`Secret ${record.metadata.name} is the record of a release, and cannot be part of one; remove it from the sources`);
  return { objects, sources: rendered.map(({ note }) => note), values };
}

const TYPES: { readonly [T in Source["type"]]: SourceNote["type"] } = {
  stdin: "manifests",
  file: "manifests",
  folder: "manifests",
  chart: "chart",
  kustomization: "kustomization",
  module: "cdk8s",
};

/** Adds the source to an error of its content. @throws CliError */
async function rendering<T>(word: string, render: () => Promise<T>): Promise<T> {
  try {
    return await render();
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const isOfClient = error instanceof Error && ["ApiError", "ConnectionError", "ConfigError"].includes(error.name);
    if (isOfClient || error instanceof CliError || typeof message !== "string") throw error;
    const advice = code === "ProgramMissing" ? "\nInstall it, or name it by its variable: docs/generators.md, Programs" : "";
    throw new CliError(`${word}: ${message}${advice}`);
  }
}

interface Rendering {
  readonly values: Readonly<Record<string, unknown>>;
  readonly input: () => Promise<string>;
  readonly context: RenderContext;
  readonly request: RenderRequest;
}

async function objectsOf(source: Source, given: Rendering): Promise<readonly KubernetesObject[]> {
  if (source.type === "stdin") return manifestsIn(await given.input(), "the standard input");
  if (source.type === "file") return manifestsIn(await readFile(source.path, "utf8"), source.path);
  const renderer = await rendererOf(source, given);
  const { name, namespace } = given.request;
  const owner = {
    apiVersion: "releases.treadle.dev/v1alpha1",
    kind: "Release",
    metadata: { name, namespace, uid: "" },
    spec: { values: given.values },
  };
  return (await renderer(owner, given.context)) as readonly KubernetesObject[]; // Renderers return plain objects.
}

function manifestsIn(text: string, name: string): readonly KubernetesObject[] {
  return readManifests(text, name).map(({ manifest }) => manifest as KubernetesObject);
}

async function rendererOf({ type, path: file }: Source, { values, request }: Rendering): Promise<Renderer> {
  const target = path.resolve(file);
  if (type === "chart") return helm(target, { values, watch: false });
  if (type === "kustomization") return kustomize(target, { watch: false });
  if (type === "folder") return manifests(target);
  return await moduleOf(file, request);
}

/** Loads a module of cdk8s. Its default export adds constructs to a chart. */
async function moduleOf(file: string, { terminal }: RenderRequest): Promise<Renderer> {
  const loaded = await terminal.apart(async () => (await import(pathToFileURL(path.resolve(file)).href)) as { readonly default?: unknown });
  const build = loaded.default;
  if (typeof build !== "function")
    throw new CliError(
      `${file}: the module has no function as its default export; write: export default (chart, { spec: { values } }) => { new ... }`,
    );
  try {
    const { cdk8s } = await import("@treadle/generators/cdk8s");
    return cdk8s((chart, owner, context) => build(chart, owner, context) as unknown);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new CliError(`${file}: modules need cdk8s; install it beside treadle: npm install cdk8s constructs`);
  }
}

async function contextOf({ client, name, namespace, revision, terminal }: RenderRequest): Promise<RenderContext> {
  const { signal } = terminal;
  return {
    reads: {},
    vars: {},
    live: {},
    release: { revision, isInstall: revision === 1 },
    cluster: await clusterFacts(client, systemClock, signal),
    name,
    namespace,
    signal,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  };
}

/** Reads the standard input once. @throws CliError if several arguments ask for it */
function standardInput({ input }: Pick<Terminal, "input">, uses: number): () => Promise<string> {
  if (uses > 1) throw new CliError("several arguments are -, and there is one standard input; name files for the others");
  return async () => {
    if (input === undefined) throw new CliError("there is no standard input; name a file");
    return await input();
  };
}
