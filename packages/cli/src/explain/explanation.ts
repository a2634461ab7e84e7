/** Turns what was read around an object into an explanation: plain data, for text and JSON. */
import { shown, type ObjectName } from "../cluster/object-name.ts";
import type { Unread } from "../cluster/reader.ts";
import { type EventNote, type Node, nodesOf, type Situation } from "../inspect/situation.ts";
import { causeOf, findingsOf, othersThan } from "./cause.ts";
import { clauseOf, type Finding } from "./finding.ts";
import { remedyOf } from "./remedies.ts";
import { decisiveCondition } from "./rules/statements.ts";

/** Why an object is not ready. `docs/cli/explain.md` documents it as the output of `-o json`. */
export interface Explanation {
  readonly object: ObjectName;
  readonly isReady: boolean;
  /** `Ready`, `Pending`, `Failed` or `Unknown`. */
  readonly health: string;
  /** When it became so; absent if the object does not tell. */
  readonly since?: string;
  /** One sentence that names the cause. */
  readonly summary: string;
  /** Absent for an object that is ready. */
  readonly cause?: Reason;
  /** The objects from the named one to that of the cause, and all others that are not ready; parents before children. */
  readonly notReady: readonly UnreadyObject[];
  /** Other problems that were found. */
  readonly others: readonly Reason[];
  readonly lastError?: LastError;
  /** When something tries again. */
  readonly nextAttempt?: { readonly text: string; readonly at?: string };
  /** What a person can do, the most useful first. */
  readonly advice: readonly string[];
  /** What could not be read, so that the explanation may be incomplete. */
  readonly unread: readonly Unread[];
}

/** A cause or another problem. */
export interface Reason {
  /** For programs, such as `ImagePull`. */
  readonly code: string;
  readonly object: ObjectName;
  readonly message: string;
}

/** An object that is not ready. */
export interface UnreadyObject {
  readonly object: ObjectName;
  /** Steps from the named object, which has 0. */
  readonly depth: number;
  /** How it belongs to the object above: `root`, `owned`, `dependent`, `named` or `mentioned`. */
  readonly relation: string;
  /** The step that keeps it, for `dependent`. */
  readonly step?: string;
  readonly health: string;
  readonly reason: string;
  readonly message: string;
  readonly since?: string;
}

/** The newest failure that an event or a condition reports. */
export interface LastError {
  readonly message: string;
  readonly object: ObjectName;
  /** `event` or the type of a condition. */
  readonly source: string;
  readonly at?: string;
  readonly count: number;
}

/** More objects that are not ready are left out of the list. */
const MAX_NOT_READY = 20;

/** Explains a situation. Pure: it reads nothing. */
export function explanationOf(situation: Situation): Explanation {
  const { root, unread } = situation;
  const found = findingsOf(situation);
  // A ready object that is paused, or whose operator does not run, is ready, and the finding is listed.
  const isReady = root.health.type === "Ready";
  const cause = isReady ? undefined : causeOf(situation, found);
  const others = othersThan(cause, found);
  const error = isReady
    ? undefined
    : lastErrorOf(cause === undefined ? [root] : [...cause.path.slice(0, -1), ...nodesOf(cause.finding.node)]);
  return {
    object: root.name,
    isReady,
    health: root.health.type,
    ...(root.since === undefined ? {} : { since: root.since }),
    summary: summaryOf(root, { isReady, cause: cause?.finding }),
    ...(cause === undefined ? {} : { cause: reasonOf(cause.finding) }),
    notReady: isReady ? [] : notReadyIn(root),
    others: others.map(reasonOf),
    ...(error === undefined ? {} : { lastError: error }),
    ...nextAttemptOf(cause?.finding),
    advice: cause === undefined ? [] : adviceOf(cause.finding, root),
    unread,
  };
}

function summaryOf(root: Node, { isReady, cause }: { readonly isReady: boolean; readonly cause: Finding | undefined }): string {
  const name = shown(root.name);
  if (isReady) return `${name} is ready.`;
  if (cause === undefined) return `${name} is not ready, and nothing says why.`;
  const clause = clauseOf(cause.clause);
  // A clause about the object itself begins with its name: `Shop default/a is paused`.
  return clause.startsWith(`${name} `) ? `${clause}.` : `${name} is not ready: ${withoutRepeats(clause, name)}.`;
}

/** `the provider of Bucket default/a reports` is `its provider reports` in a sentence about that bucket. */
function withoutRepeats(clause: string, name: string): string {
  const own = `${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w.-])`;
  return clause.replace(new RegExp(`\\bthe (\\w+) of ${own}`), "its $1").replaceAll(new RegExp(own, "g"), "it");
}

function reasonOf({ code, node, clause }: Finding): Reason {
  return { code, object: node.name, message: clauseOf(clause) };
}

function notReadyIn(root: Node): readonly UnreadyObject[] {
  const found: UnreadyObject[] = [];
  const visit = (node: Node, depth: number): void => {
    const isIn = node === root || node.health.type !== "Ready";
    if (isIn) found.push(unreadyOf(node, depth));
    for (const child of node.children) visit(child, isIn ? depth + 1 : depth);
  };
  visit(root, 0);
  return found.slice(0, MAX_NOT_READY);
}

function unreadyOf(node: Node, depth: number): UnreadyObject {
  const { name, relation, health, since } = node;
  const own = depth === 0 ? decisiveCondition(node) : undefined;
  return {
    object: name,
    depth,
    relation: relation.type,
    ...(relation.type === "dependent" ? { step: relation.entry.step } : {}),
    health: health.type,
    reason: own?.reason || health.reason,
    message: own?.message || health.message,
    ...(since === undefined ? {} : { since }),
  };
}

/** The newest warning on the way to the cause and below it; else a condition that reports a failure. */
function lastErrorOf(nodes: readonly Node[]): LastError | undefined {
  const warnings = nodes.flatMap((node) => node.events.filter(({ type }) => type === "Warning").map((event) => ({ node, event })));
  // `Error: ImagePullBackOff` and `Back-off restarting` repeat a reason. An older event says why.
  const [newest] = warnings.toSorted((a, b) => Number(isEcho(a.event)) - Number(isEcho(b.event)) || b.event.lastMs - a.event.lastMs);
  if (newest !== undefined) return ofEvent(newest);
  for (const node of nodes.toReversed()) {
    const failed = node.conditions.find(
      ({ status, reason, message, type }) => status === "False" && message !== "" && reason !== "NotReached" && type !== "Ready",
    );
    if (failed !== undefined)
      return {
        message: clauseOf(failed.message),
        object: node.name,
        source: failed.type,
        count: 1,
        ...(failed.lastTransitionTime === "" ? {} : { at: failed.lastTransitionTime }),
      };
  }
  return undefined;
}

function isEcho({ message }: EventNote): boolean {
  return /^Error: \w+$/.test(message) || message.startsWith("Back-off ");
}

function ofEvent({ node, event }: { readonly node: Node; readonly event: EventNote }): LastError {
  const { reason, message, count, lastMs } = event;
  // `Failed: Failed to pull image` says it twice.
  const text = message.startsWith(reason) ? message : `${reason}: ${message}`;
  return {
    message: clauseOf(text),
    object: node.name,
    source: "event",
    count,
    ...(lastMs === 0 ? {} : { at: new Date(lastMs).toISOString() }),
  };
}

function nextAttemptOf(cause: Finding | undefined): Pick<Explanation, "nextAttempt"> {
  if (cause?.nextAttempt === undefined) return {};
  const at = cause.nextAttemptMs === undefined ? {} : { at: new Date(cause.nextAttemptMs).toISOString() };
  return { nextAttempt: { text: cause.nextAttempt, ...at } };
}

/** The advice of the cause, then the remedy of the reason that the named object shows. */
function adviceOf(cause: Finding, root: Node): readonly string[] {
  const statement = decisiveCondition(root);
  const more = cause.advice.length > 0 || statement === undefined ? [] : remedyOf(statement.reason);
  return [...new Set([...cause.advice, ...more])];
}
