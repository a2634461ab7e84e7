/** What an operator says about an object, in conditions and in entries of `status.dependents`. */
import { groupOf } from "@treadle/apimachinery";
import { shown } from "../../cluster/object-name.ts";
import { isBuiltIn } from "../../cluster/served-kinds.ts";
import type { Node, Situation, StatusCondition } from "../../inspect/situation.ts";
import { clauseOf, type Finding, RANK, type Rule } from "../finding.ts";
import { remedyOf } from "../remedies.ts";
import { operatorProblem } from "./lifecycle.ts";
import { readingOf } from "./texts.ts";

export const statementRules: readonly Rule[] = [absent, entry, plugin, external, condition, remainder];

/** An object that another one names and that is not there. */
function absent(node: Node): Finding | undefined {
  const { name, state, relation } = node;
  if (state === "unserved") {
    const clause = `the server does not serve the kind ${name.kind} (${name.apiVersion}) of ${shown(name)}`;
    return {
      code: "MissingKind",
      rank: RANK.cause,
      node,
      clause,
      advice: ["install the CRD of the kind"],
      nextAttempt: "when the kind is installed",
    };
  }
  // An operator creates its own objects, and its entry says why it has not. It waits for those of others.
  const isAwaited = relation.type !== "dependent" || relation.entry.message.includes("does not exist");
  if (state !== "missing" || relation.type === "root" || !isAwaited) return undefined;
  const by =
    relation.type === "named"
      ? `, which ${relation.path} names`
      : relation.type === "dependent"
        ? `, and step ${JSON.stringify(relation.entry.step)} waits for it`
        : "";
  return {
    code: `Missing${MISSING.has(name.kind) ? name.kind : "Object"}`,
    rank: RANK.cause,
    node,
    clause: `${shown(name)} does not exist${by}`,
    advice: [`create ${shown(name)}, or correct the name where it is used`],
  };
}

const MISSING: ReadonlySet<string> = new Set(["Secret", "ConfigMap", "ServiceAccount", "PersistentVolumeClaim", "Service"]);

/** Reasons of entries that are causes in themselves, and their codes. docs/operations.md explains each. */
const ENTRY_CAUSES: Readonly<Record<string, string>> = {
  NotOurs: "ForeignOwner",
  Contested: "Contested",
  Immutable: "Immutable",
  Refused: "Refused",
  NotRecreatable: "Immutable",
  KindNotServed: "MissingKind",
  KindNotInstalled: "MissingKind",
  Forbidden: "Forbidden",
  InvalidApply: "Refused",
};

/** Reasons of entries whose cause is another object of the same owner. */
const ENTRY_WAITS: ReadonlySet<string> = new Set([
  "WaitingForDependency",
  "WaitingForWave",
  "WaitingForObject",
  "WaitingForRemoval",
  "WaitingForKind",
  "Precondition",
  "Queued",
  "KindNotListed",
]);

function entry(node: Node): Finding | undefined {
  if (node.relation.type !== "dependent" || node.relation.entry.type === "Ready") return undefined;
  const { reason, message, step, wave } = node.relation.entry;
  const reading = readingOf(message, node.name.namespace);
  if (reading !== undefined)
    return {
      ...reading,
      rank: RANK.cause,
      node,
      clause: `${reading.clause}, so step ${JSON.stringify(step)} cannot keep ${shown(node.name)}`,
    };
  const code = ENTRY_CAUSES[reason];
  const advice = remedyOf(reason);
  if (code !== undefined) {
    const clause = `step ${JSON.stringify(step)} cannot keep ${shown(node.name)} (${reason}): ${clauseOf(message)}`;
    return { code, rank: RANK.cause, node, clause, advice };
  }
  if (ENTRY_WAITS.has(reason)) {
    const place = wave === undefined ? "" : ` in wave ${wave}`;
    return {
      code: "Waiting",
      rank: RANK.statement,
      node,
      clause: `${shown(node.name)} waits${place} (${reason}): ${clauseOf(message)}`,
      advice,
    };
  }
  const isFailed = node.relation.entry.type === "Failed";
  const clause = `${shown(node.name)} is not ready (${reason})${message === "" ? "" : `: ${clauseOf(message)}`}`;
  return { code: "DependentNotReady", rank: isFailed ? RANK.symptom : RANK.vague, node, clause, advice };
}

/** Plugins of Treadle decide what the objects of an owner are. */
function plugin(node: Node): Finding | undefined {
  const found = node.conditions.find(({ type, status }) => type === "PluginReady" && status !== "True");
  if (found === undefined || found.reason === "NotReached") return undefined;
  const code = found.reason === "NoPlugin" ? "NoPlugin" : "PluginUnavailable";
  const advice =
    code === "NoPlugin"
      ? ["install the plugin, or correct the capability in the spec: `kubectl get capabilityinfos` lists those that are offered"]
      : ["look at the log of the operator, which has what the plugin wrote, and at `kubectl get capabilityinfos -o yaml`"];
  const nextAttempt = "as soon as a plugin offers it: nothing polls";
  return {
    code,
    rank: RANK.cause,
    node,
    clause: `the plugin of ${shown(node.name)} gives no plan (${found.reason}): ${clauseOf(found.message)}`,
    advice,
    nextAttempt,
  };
}

/** External resources, of Treadle's managed steps and of Crossplane: Synced says what the provider answered. */
function external(node: Node): Finding | undefined {
  const found = node.conditions.find(({ type, status }) => /(^|[a-z])Synced$/.test(type) && status === "False");
  if (found === undefined || found.reason === "ReconcilePaused" || found.reason.startsWith("Step")) return undefined;
  const isLogin = found.reason === "NotConnected" || found.reason === "CredentialsRefused";
  const message = clauseOf(found.message);
  return {
    code: isLogin ? "ProviderCredentials" : "ProviderError",
    rank: RANK.cause,
    node,
    clause: isLogin
      ? `${shown(node.name)} has no connection to its provider (${found.reason}): ${message}`
      : `the provider of ${shown(node.name)} reports an error (${found.type} is ${found.reason}): ${message}`,
    advice: remedyOf(found.reason),
    nextAttempt: "its operator observes it again by its poll interval, and after a failure with growing pauses",
  };
}

/** Reasons that only say that something else is not ready. */
const POINTING: ReadonlySet<string> = new Set([
  "NotReady",
  "Waiting",
  "Processing",
  "Pending",
  "Timeout",
  "Progressing",
  "Reconciling",
  "Unavailable",
  "Unhealthy",
  "Creating",
  "Updating",
  "Scaling",
  "Failing",
  "TaskFailing",
  "TaskRunning",
  "TaskPending",
  "OperationPending",
  "OperationFailing",
  "Blocked",
  "PrerequisiteNotMet",
  "WaitingForDependency",
  "WaitingForWave",
  "WaitingForObject",
  "StepWaiting",
  "StepFailed",
  "MinimumReplicasUnavailable",
]);

/** Tells whether a condition says only that other objects are not ready. */
export function isPointing({ reason }: StatusCondition): boolean {
  return POINTING.has(reason);
}

/**
 * Returns the condition that says why: Ready, or the one whose message Ready repeats. Kinds of Kubernetes have none: `health()` knows
 * their conditions.
 */
export function decisiveCondition({ name, conditions }: Pick<Node, "name" | "conditions">): StatusCondition | undefined {
  if (isBuiltIn({ group: groupOf(name.apiVersion) })) return undefined;
  const stalled = conditions.find(({ type, status }) => type === "Stalled" && status === "True");
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "True")
    return stalled ?? conditions.find(({ status, reason }) => status === "False" && reason !== "NotReached");
  const [, type] = /^([A-Z]\w*): /.exec(ready.message) ?? [];
  return (
    conditions.find(
      (each) => each !== ready && each.status !== "True" && (each.type === type || (each.message !== "" && each.message === ready.message)),
    ) ?? ready
  );
}

function condition(node: Node, situation: Situation): Finding | undefined {
  if (node.object === undefined || node.health.type === "Ready") return undefined;
  const found = decisiveCondition(node);
  if (found === undefined || (found.status === "True" && found.type !== "Stalled")) return undefined;
  const message = clauseOf(found.message);
  const reading = readingOf(message, node.name.namespace);
  const isRoot = node.relation.type === "root";
  const where = `condition ${found.type} is ${found.status} (${found.reason || "no reason"})`;
  const nextAttempt = nextOf(found, node, situation);
  const next = nextAttempt === undefined ? {} : { nextAttempt };
  if (reading !== undefined) return { ...reading, rank: RANK.cause, node, clause: `${reading.clause}; ${where}`, ...next };
  const code = found.reason === "" ? "NotReady" : found.reason;
  const subject = isRoot ? "" : `${shown(node.name)}: `;
  const advice = [...(situation.isOfTreadle || !isRoot ? remedyOf(found.reason) : []), ...logOf(situation)];
  const clause = message === "" ? `${subject}its ${where} and has no message` : `${subject}${message} (${where})`;
  return { code, rank: isPointing(found) ? RANK.vague : RANK.statement, node, clause, advice, ...next };
}

/** Where the operator writes its log, if a lease names its pod: holders are `<pod>_<uid>`, and `<host>_<uid>` outside of pods. */
function logOf({ leases }: Situation): readonly string[] {
  return leases.slice(0, 1).flatMap(({ namespace, holder }) => {
    const [pod = ""] = holder.split("_");
    if (pod === "") return [];
    return [
      POD_NAME.test(pod)
        ? `read the log of the operator: \`kubectl logs ${pod} -n ${namespace}\``
        : `read the log of the operator, which runs on ${pod}`,
    ];
  });
}

/** The ends of names that Deployments and StatefulSets give to their pods. */
const POD_NAME = /-(?:[bcdfghjklmnpqrstvwxz2456789]{5}|\d+)$/;

/** Reasons after which the engine does not retry. */
const FINAL: ReadonlySet<string> = new Set(["Stopped", "TerminalError", "InvalidObject", "Immutable", "NotOurs"]);

/** When the engine of Treadle runs the next pass. docs/engine.md has the numbers. */
function nextOf(found: StatusCondition, { name, object }: Node, situation: Situation): string | undefined {
  if (!situation.isOfTreadle || operatorProblem(situation) !== undefined) return undefined;
  const place = name.namespace === undefined ? "" : ` -n ${name.namespace}`;
  const now = `at once: \`kubectl annotate ${name.kind.toLowerCase()} ${name.name}${place} treadle.dev/reconcile-requested-at="$(date -Is)" --overwrite\``;
  const isStalled = found.type === "Stalled" || found.reason === "Stopped";
  if (FINAL.has(found.reason) || isStalled) return `none before a change of ${shown(name)} or of what its steps read; ${now}`;
  if (found.status === "Unknown" || object === undefined) return `as soon as what it waits for changes; ${now}`;
  return `with a delay that doubles after each failure, up to about 17 minutes, or as soon as what it reads changes; ${now}`;
}

function remainder(node: Node): Finding | undefined {
  if (node.health.type === "Ready" || node.state !== "found") return undefined;
  const { reason, message } = node.health;
  const clause = `${shown(node.name)} is ${node.health.type === "Failed" ? "failed" : "not ready"} (${reason})${message === "" ? "" : `: ${clauseOf(message)}`}`;
  return { code: reason, rank: RANK.vague, node, clause, advice: [] };
}
