/** The default roles and bindings of a cluster with RBAC. */
import type { Clock } from "@treadle/apimachinery";
import { freezeJson, type JsonObject } from "../internal/json.ts";
import { secondsOf } from "../objects/object-meta.ts";
import { idOf } from "../storage/registry.ts";
import type { Store } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { BOOTSTRAP } from "./bootstrap-data.ts";

const GROUP = "rbac.authorization.k8s.io";
const AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate";
const BOOTSTRAPPING = "kubernetes.io/bootstrapping";

interface Recorded extends JsonObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: JsonObject };
}

/** Stores the default roles and bindings as a kube-apiserver would. */
export function createBootstrapRoles({
  store,
  clock,
  uid,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly uid: () => string;
}): void {
  const time = secondsOf(clock.now());
  // Frozen, so that all servers can share the rules.
  recorded ??= BOOTSTRAP.trim()
    .split("\n")
    .map((line) => freezeJson(JSON.parse(line) as Recorded)); // written by scripts/bootstrap-roles.ts
  for (const { kind, metadata, ...rest } of recorded) {
    const labels = { [BOOTSTRAPPING]: "rbac-defaults", ...metadata.labels };
    const annotations = { [AUTOUPDATE]: "true" };
    const meta = { ...metadata, uid: uid(), creationTimestamp: time, labels, annotations };
    const managedFields = [{ ...WRITER, time, fieldsV1: ownedFields(labels, rest) }];
    const draft: Draft = { apiVersion: `${GROUP}/v1`, kind, metadata: { ...meta, managedFields }, ...rest };
    store.collection(idOf(GROUP, `${kind.toLowerCase()}s`)).create(draft);
  }
}

// A cache of a constant.
let recorded: readonly Recorded[] | undefined;

const WRITER = { manager: "kube-apiserver", operation: "Update", apiVersion: `${GROUP}/v1`, fieldsType: "FieldsV1" } as const;

function ownedFields(labels: JsonObject, { aggregationRule, roleRef, subjects, rules }: JsonObject): JsonObject {
  const members = (names: readonly string[]): JsonObject => Object.fromEntries([[".", {}], ...names.map((name) => [`f:${name}`, {}])]);
  return {
    ...(aggregationRule === undefined ? {} : { "f:aggregationRule": members(["clusterRoleSelectors"]) }),
    "f:metadata": { "f:annotations": members([AUTOUPDATE]), "f:labels": members(Object.keys(labels)) },
    ...(roleRef === undefined ? {} : { "f:roleRef": {} }),
    ...(rules === undefined || rules === null ? {} : { "f:rules": {} }),
    ...(subjects === undefined ? {} : { "f:subjects": {} }),
  };
}
