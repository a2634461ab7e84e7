/**
 * Objects of built-in kinds with one thing about them changed, as lines of text: `spec.replicas = -1`, several changes
 * divided by ` ; `, `path -` to remove, `[+]` for one more of a list. A server is asked in dry runs whether it takes them.
 */
import type { Json, Scenario, Session } from "../../session.ts";

/** What is tried with one kind. */
export interface Table {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isClusterWide?: true;
  /** Tells apart tables of one kind. */
  readonly about?: string;
  /** A valid object without kind and name, of the namespace it is tried in. */
  readonly base: Json | ((namespace: string) => Json);
  /** Lines of changes of new objects. */
  readonly created?: string;
  /** Lines of changes of an object that is stored already. */
  readonly updated?: string;
}

/** The lines of a table as requests. The base itself is sent, too. */
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
  // Objects beside a namespace would stay for the next run.
  if (isClusterWide === true) await remove(quietly, at);
}

/** A real server protects volumes until a controller lets them go. */
async function remove(quietly: Session["quietly"], path: string): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  await quietly("PATCH", path, { body: { metadata: { finalizers: null } }, headers });
  await quietly("DELETE", path);
  await quietly("PATCH", path, { body: { metadata: { finalizers: null } }, headers });
}

function linesOf(text = ""): readonly string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

/** A copy of an object with the changes of a line. @throws Error for a line that is none. */
function changed(object: Json, line: string): Json {
  // What an object refers to twice is two things on the wire.
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

/** JSON, in which `long(N)` stands for a text of N letters. */
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
