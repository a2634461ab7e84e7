/**
 * Objects of built-in kinds with single changes, as lines of text: `spec.replicas = -1`. ` ; ` separates several changes,
 * `path -` removes, `[+]` adds an item to a list. A server answers to dry runs whether it accepts them.
 */
import type { Json, Scenario, Session } from "../../session.ts";

/** The changes of one kind. */
export interface Table {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isClusterWide?: true;
  /** Distinguishes several tables of one kind. */
  readonly about?: string;
  /** Valid object without kind and name, for the namespace of the run. */
  readonly base: Json | ((namespace: string) => Json);
  /** Changes of new objects, one on each line. */
  readonly created?: string;
  /** Changes of a stored object, one on each line. */
  readonly updated?: string;
}

/** Returns the lines of a table as requests. The base itself is sent, too. */
export function scenarioOf(table: Table): Scenario {
  const name = `valid ${table.plural}${table.about === undefined ? "" : ` ${table.about}`}`;
  return { name, run: (session) => tryAll(table, session) };
}

async function tryAll(table: Table, session: Session): Promise<void> {
  const { send, quietly, namespace } = session;
  const { apiVersion, kind, plural, isClusterWide } = table;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const path = isClusterWide === true ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
  await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
  const given = typeof table.base === "function" ? table.base(namespace) : table.base;
  const base = { apiVersion, kind, ...given, metadata: { name: "tried", ...given["metadata"] } };
  const query = "dryRun=All";
  await send("new", "POST", path, { query, body: base });
  for (const line of linesOf(table.created)) await send(`new, ${line}`, "POST", path, { query, body: changed(base, line) });
  if (table.updated === undefined) return;
  const at = `${path}/${base.metadata.name as string}`; // a table names its base with a text
  if (isClusterWide === true) await remove(quietly, at);
  const stored = await quietly("POST", path, { body: base });
  await send("same", "PUT", at, { query, body: stored });
  for (const line of linesOf(table.updated)) await send(`old, ${line}`, "PUT", at, { query, body: changed(stored, line) });
  // Cluster-scoped objects would be left for the next run.
  if (isClusterWide === true) await remove(quietly, at);
}

/** Deletes an object. A real server protects volumes until a controller removes the finalizer. */
async function remove(quietly: Session["quietly"], path: string): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  await quietly("PATCH", path, { body: { metadata: { finalizers: null } }, headers });
  await quietly("DELETE", path);
  await quietly("PATCH", path, { body: { metadata: { finalizers: null } }, headers });
}

function linesOf(text = ""): readonly string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

/** Returns a copy of an object with the changes of a line. @throws Error for an invalid line */
function changed(object: Json, line: string): Json {
  // A value that is referred to twice is two values in JSON.
  const copy = JSON.parse(JSON.stringify(object)) as Json;
  for (const change of line.split(" ; ")) {
    const [, path = "", isRemoval, value = ""] = /^(.+?) (?:(-)|= (.*))$/.exec(change) ?? [];
    if (path === "") throw new Error(`no change: ${JSON.stringify(change)}`);
    setAt(copy, segmentsOf(path), isRemoval === undefined ? valueOf(value) : undefined);
  }
  return copy;
}

function segmentsOf(path: string): readonly string[] {
  return [...path.matchAll(/\["([^"]*)"\]|\[([\d+]+)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) => quoted ?? index ?? name ?? "");
}

/** Parses JSON, in which `long(N)` is a text of N letters. */
function valueOf(text: string): unknown {
  return JSON.parse(text.replaceAll(/long\((\d+)\)/g, (_, count: string) => JSON.stringify("a".repeat(Number(count))))) as unknown;
}

function setAt(root: object, path: readonly string[], value: unknown): void {
  let at = root as Record<string, unknown>;
  path.forEach((segment, i) => {
    const key = segment === "+" ? String((at as unknown as unknown[]).length) : segment;
    if (i < path.length - 1) at = (at[key] ??= /^(\d+|\+)$/.test(path[i + 1] ?? "") ? [] : {}) as Record<string, unknown>;
    else if (value !== undefined) at[key] = value;
    else if (Array.isArray(at)) at.splice(Number(key), 1);
    else delete at[key];
  });
}
