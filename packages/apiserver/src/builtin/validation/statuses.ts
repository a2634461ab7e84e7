/**
 * Validates the status of built-in kinds when it is written: numbers, the phase of a namespace, the addresses of a pod. The
 * order of the rules is that of the real server's errors.
 */
import { isIP } from "node:net";
import type { FieldError } from "../../errors/field-errors.ts";
import type { JsonObject } from "../../internal/json.ts";
import { objectAt } from "../../internal/read.ts";
import { quantityNanos } from "../quantity.ts";
import { ipAddress } from "./formats.ts";
import { amount } from "./resources.ts";
import { check, fields, nonNegative, type Rule, type Spot } from "./spot.ts";

type Errors = (draft: JsonObject, previous: JsonObject) => FieldError[];

/** Makes a check of the status with the status before. */
function statusErrors(rule: (status: Spot, before: JsonObject) => void): Errors {
  return (draft, previous) => check(draft, (object) => rule(object.at("status"), objectAt(previous, "status")));
}

function counts(...names: readonly string[]): Rule {
  return fields(Object.fromEntries(names.map((name) => [name, nonNegative])));
}

/** Requires that none of some numbers is greater than the number of replicas, nor the available ones than the ready ones. */
function atMostReplicas(status: Spot, names: readonly string[], ready: string): void {
  const { number } = status.at("replicas");
  for (const name of names) exceeds(status.at(name), number, "status.replicas");
  exceeds(status.at("availableReplicas"), status.at("readyReplicas").number, ready);
}

function exceeds(spot: Spot, limit: number, name: string): void {
  if (spot.number > limit) spot.invalid(`cannot be greater than ${name}`, spot.number);
}

function notDecremented(status: Spot, before: JsonObject, name: string, detail: string): void {
  const spot = status.at(name);
  if (spot.number < Number(before[name] ?? 0)) spot.invalid(detail, spot.number);
}

function collisions(status: Spot, before: JsonObject): void {
  if (before["collisionCount"] !== undefined) notDecremented(status, before, "collisionCount", "cannot be decremented");
}

const deploymentCounts = counts(
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "terminatingReplicas",
  "collisionCount",
);

export const deploymentStatusErrors: Errors = statusErrors((status, before) => {
  deploymentCounts(status);
  atMostReplicas(status, ["updatedReplicas", "readyReplicas", "availableReplicas"], "readyReplicas");
  collisions(status, before);
});

const replicaSetCounts = counts(
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "observedGeneration",
  "terminatingReplicas",
);

export const replicaSetStatusErrors: Errors = statusErrors((status) => {
  replicaSetCounts(status);
  atMostReplicas(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], "readyReplicas");
});

const statefulSetCounts = counts(
  "replicas",
  "readyReplicas",
  "currentReplicas",
  "updatedReplicas",
  "availableReplicas",
  "observedGeneration",
  "collisionCount",
);

export const statefulSetStatusErrors: Errors = statusErrors((status, before) => {
  statefulSetCounts(status);
  atMostReplicas(status, ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"], "status.readyReplicas");
  collisions(status, before);
});

const daemonSetCounts = counts(
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
);

export const daemonSetStatusErrors: Errors = statusErrors((status, before) => {
  daemonSetCounts(status);
  collisions(status, before);
});

const jobCounts = counts("active", "succeeded", "failed", "ready", "terminating");

export const jobStatusErrors: Errors = statusErrors((status, before) => {
  jobCounts(status);
  for (const name of ["failed", "succeeded"]) notDecremented(status, before, name, `cannot decrease the ${name} counter`);
});

export const budgetStatusErrors: Errors = statusErrors(counts("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"));

export const autoscalerStatusErrors: Errors = statusErrors(counts("currentReplicas", "desiredReplicas"));

export const quotaStatusErrors: Errors = statusErrors((status) => {
  for (const list of ["hard", "used"]) for (const [name, member] of status.at(list).members) amount(member, name);
});

export const claimStatusErrors: Errors = statusErrors((status) => {
  for (const [, member] of status.at("capacity").members) {
    const nanos = quantityNanos(member.text);
    if (nanos < 0n) member.invalid("must be a valid resource quantity", Number(nanos / 1_000_000_000n));
  }
});

export const namespaceStatusErrors: Errors = (draft) =>
  check(draft, (namespace) => {
    const [phase, isDeleted] = [namespace.within("status", "phase"), namespace.within("metadata", "deletionTimestamp").isSet];
    const only = isDeleted ? "Terminating" : "Active";
    if (phase.text === only) return;
    phase.named("status.Phase").invalid(`may only be '${only}' if \`deletionTimestamp\` is ${isDeleted ? "not " : ""}empty`);
  });

export const podStatusErrors: Errors = statusErrors((status) => {
  const [pods, hosts] = [status.at("podIPs"), status.at("hostIPs")];
  for (const item of pods.items) ipAddress(item.at("ip").named(item.path));
  const families = pods.items.map((item) => isIP(item.at("ip").text));
  if (families.length > 1 && !(families.length === 2 && families.includes(4) && families.includes(6)))
    pods.invalid(
      "may specify no more than one IP for each IP family",
      pods.items.map((item) => ({ IP: item.at("ip").text })),
    );
  const [first] = hosts.items;
  if (first !== undefined && first.at("ip").text !== status.at("hostIP").text) first.at("ip").invalid("must be equal to `hostIP`");
});
