/**
 * Reads settings from a file and from the environment. Each gives a tree of the options that it sets, and a list of problems.
 * No message shows a value that may be a secret: of an unknown setting it shows only the name.
 */
import { readFile } from "node:fs/promises";
import { withoutSecrets } from "@treadle/reconcile/unstable/engine";
import { CONTROLLER_SETTINGS, nearest, SETTINGS, type Taken, variableOf } from "./table.ts";

export interface Tree {
  [key: string]: unknown;
}

export interface Source {
  readonly tree: Tree;
  readonly problems: readonly string[];
}

/** Reads the settings of a YAML or JSON file. A key without a value sets nothing, as in a template without that value. */
export async function settingsOfFile(file: string): Promise<Source> {
  try {
    // The parser is a megabyte; programs without such a file do not load it.
    const [{ parse }, text] = await Promise.all([import("yaml"), readFile(file, "utf8")]);
    const parsed: unknown = parse(text, { logLevel: "error" });
    const problems: string[] = [];
    const tree = isTree(parsed) ? treeOf(parsed, "", problems) : {};
    if (parsed !== null && parsed !== undefined && !isTree(parsed)) problems.push("it must be a mapping of settings");
    return { tree, problems: problems.map((problem) => `${file}: ${problem}`) };
  } catch (error) {
    return { tree: {}, problems: [`cannot read ${file}: ${shortOf(error)}`] };
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the variables with the prefix `TREADLE_`. An empty one sets nothing. */
export function settingsOfEnvironment(env: Environment): Source & { readonly names: readonly string[] } {
  const tree: Tree = {};
  const problems: string[] = [];
  const names: string[] = [];
  // `false` comes last: what is switched off stays off, whatever its parts are.
  for (const [name, text] of Object.entries(env).toSorted(([, a], [, b]) => Number(a === "false") - Number(b === "false"))) {
    if (!name.startsWith("TREADLE_") || text === undefined || text === "" || isForOthers(name, text)) continue;
    const path = VARIABLES.get(name);
    if (path === undefined) {
      problems.push(`${name} is no setting${nearest(name, [...VARIABLES.keys(), CONFIG_VARIABLE, ...OF_OTHERS])}`);
      continue;
    }
    names.push(name);
    if (path === "concurrency") concurrencyOf(name, text, { tree, problems });
    else {
      const taken = SETTINGS[path] as Taken; // VARIABLES is made of its keys.
      const value = taken.fromText(text);
      if (taken.accepts(value)) put(tree, path, value);
      else problems.push(`${name} is ${shown(text)}: give ${taken.says}`);
    }
  }
  return { tree, problems, names };
}

/** The file that the environment names. */
export const CONFIG_VARIABLE = "TREADLE_CONFIG";

const VARIABLES: ReadonlyMap<string, string> = new Map(Object.keys(SETTINGS).map((path) => [variableOf(path), path]));

/** Variables of the framework's own tests and tools. */
const OF_TOOLS = /^TREADLE_(?:TEST_\w+|RECORD|CONTROLPLANE_DIR|KUBECONFIG|HELM3)$/;
/** Variables of packages above: programs of `@treadle/generators`, releases of `@treadle/plugins`. They are no options of the manager. */
const OF_OTHERS: readonly string[] = ["TREADLE_HELM", "TREADLE_KUSTOMIZE", "TREADLE_PLUGINS"];
/** Variables that the kubelet sets for each Service of the namespace, also for one whose name begins with "treadle-". */
const SERVICE_LINK = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

function isForOthers(name: string, text: string): boolean {
  const isOfPackage = name === CONFIG_VARIABLE || OF_OTHERS.includes(name) || OF_TOOLS.test(name);
  return isOfPackage || SERVICE_LINK.test(name) || /^(?:tcp|udp|sctp):\/\//.test(text);
}

/** Parses `5`, `buckets.example.dev=2`, or both with a comma between them. */
function concurrencyOf(name: string, text: string, { tree, problems }: { tree: Tree; problems: string[] }): void {
  for (const part of text.split(",")) {
    const [, controller, count = ""] = /^\s*(?:([^=]+)=)?\s*(.*?)\s*$/.exec(part) ?? [];
    const { accepts, fromText, says } = SETTINGS["concurrency"] as Taken;
    if (!accepts(fromText(count))) problems.push(`${name} is ${shown(text)}: give ${says}, or "5,NAME=2" for one controller`);
    else if (controller === undefined) put(tree, "concurrency", fromText(count));
    else tree["controllers"] = merged((tree["controllers"] ?? {}) as Tree, { [controller.trim()]: { concurrency: fromText(count) } });
  }
}

/** The valid part of `given`; the rest is added to `problems`. */
function treeOf(given: Tree, above: string, problems: string[]): Tree {
  const tree: Tree = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === null) continue;
    const path = `${above}${key}`;
    if (path === "controllers") tree[key] = controllersOf(value, problems);
    else if (isTree(value) && Object.keys(SETTINGS).some((known) => known.startsWith(`${path}.`)))
      tree[key] = treeOf(value, `${path}.`, problems);
    else leaf({ tree, key, value, path, taken: Object.hasOwn(SETTINGS, path) ? SETTINGS[path] : undefined, known: KNOWN }, problems);
  }
  return tree;
}

const KNOWN: readonly string[] = [...Object.keys(SETTINGS), "metrics.tls", "controllers"];

function controllersOf(given: unknown, problems: string[]): Tree {
  const tree: Tree = {};
  if (!isTree(given)) {
    problems.push("controllers must have the name of a handler, and below it what is set for it");
    return tree;
  }
  for (const [name, settings] of Object.entries(given)) {
    const path = `controllers.${name}`;
    const own: Tree = {};
    tree[name] = own;
    if (settings === null) continue;
    if (!isTree(settings)) problems.push(`${path} must be a mapping of ${Object.keys(CONTROLLER_SETTINGS).join(", ")}`);
    else
      for (const [key, value] of Object.entries(settings)) {
        const taken = Object.hasOwn(CONTROLLER_SETTINGS, key) ? CONTROLLER_SETTINGS[key] : undefined;
        const known = Object.keys(CONTROLLER_SETTINGS).map((each) => `${path}.${each}`);
        leaf({ tree: own, key, value, path: `${path}.${key}`, taken, known }, problems);
      }
  }
  return tree;
}

interface Leaf {
  readonly tree: Tree;
  readonly key: string;
  readonly value: unknown;
  readonly path: string;
  readonly taken: Taken | undefined;
  readonly known: readonly string[];
}

function leaf({ tree, key, value, path, taken, known }: Leaf, problems: string[]): void {
  if (value === null) return;
  if (taken === undefined) problems.push(`${path} is no setting${nearest(path, known)}`);
  else if (taken.accepts(value)) tree[key] = value;
  else problems.push(`${path} is ${shown(value)}: give ${taken.says}`);
}

/** Merges trees; otherwise `over` wins, except that `true` keeps the parts of what it switches on. */
export function merged(under: Tree, over: Tree): Tree {
  const tree: Tree = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = tree[key];
    if (isTree(below) && isTree(value)) tree[key] = merged(below, value);
    else if (!(value === true && isTree(below))) tree[key] = value;
  }
  return tree;
}

function put(tree: Tree, path: string, value: unknown): void {
  const [key = "", ...rest] = path.split(".");
  const below = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  Object.assign(tree, merged(tree, { [key]: below }));
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value for a message; a user may have set a token where a port belongs. */
function shown(value: unknown): string {
  const text = withoutSecrets(JSON.stringify(value) ?? String(value));
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

const MAX_SHOWN = 64;

/** The first line: the lines that follow quote the file. */
function shortOf(error: unknown): string {
  return withoutSecrets(error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
