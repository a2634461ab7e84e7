/** The Platform of the tests, and the parts of the cluster that they compare. Not part of the operator. */
import type { RequestLog, TestCluster } from "@treadle/testing";
import type { Kind } from "treadle";
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Job,
  Namespace,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
} from "treadle/kinds";
import { expect } from "vitest";
import { Platform } from "./platform.ts";
import { Widget } from "./widget.ts";

/** The cluster of a story or of an exploration. */
type Environment = Pick<TestCluster, "create" | "get" | "update" | "list">;

/** The namespace of the platform `shop`. */
export const SYSTEM = "default-shop";
const KINDS: readonly Kind[] = [ConfigMap, ServiceAccount, Role, RoleBinding, Deployment, Service, Job];

/** The license that a user has bought. */
export const license = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "license", namespace: "default" },
  data: { edition: btoa("enterprise"), key: btoa("secret") },
};

/** Creates the Platform `shop` and its license, and waits until it is ready. */
export async function openShop(cluster: TestCluster, spec: Partial<Platform["spec"]> = {}): Promise<void> {
  await createShop(cluster, spec);
  await isReady(cluster);
}

/** Creates the Platform `shop` and its license, and waits until the operator has nothing to do. */
export async function createShop(cluster: TestCluster, spec: Partial<Platform["spec"]> = {}): Promise<void> {
  await cluster.create(Secret, license);
  await cluster.create(Platform, { metadata: { name: "shop" }, spec: { tenants: ["anna", "ben"], ...spec } });
  await cluster.settled();
}

/** Waits until the Platform is ready. A real server needs a moment before it serves a new CRD, in which an operator is settled. */
export async function isReady(cluster: TestCluster): Promise<void> {
  await cluster.settled();
  await expect.poll(() => conditionOf(cluster), { timeout: 30_000 }).toMatch(/^True Ready/);
  await cluster.settled();
}

/** Changes the spec of the Platform. */
export async function change(cluster: Environment, spec: Partial<Platform["spec"]>): Promise<void> {
  await cluster.update(Platform, "shop", (platform) => void Object.assign(platform.spec, spec));
}

/** Returns a condition of the Platform: `True Ready: 12 objects are ready`. */
export async function conditionOf(cluster: Environment, type = "StackReady"): Promise<string | undefined> {
  const found = (await cluster.get(Platform, "shop"))?.status?.conditions?.find((condition) => condition.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message ?? ""}`;
}

/** Returns the objects of the platform that exist: `Deployment anna`. */
export async function objectsIn(cluster: Environment): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of KINDS)
    for (const { metadata } of await cluster.list(kind, SYSTEM))
      if (isOfPlatform(metadata.name)) found.push(`${kind.kind} ${metadata.name}`);
  if ((await cluster.get(Namespace, SYSTEM)) !== undefined) found.push("Namespace");
  if ((await cluster.get(CustomResourceDefinition, WIDGETS)) === undefined) return found.toSorted();
  return [
    ...found,
    "CustomResourceDefinition",
    ...(await cluster.list(Widget)).map(({ metadata }) => `Widget ${metadata.name}`),
  ].toSorted();
}

/** A namespace has a ServiceAccount and a ConfigMap that are not of a user. */
const isOfPlatform = (name: string): boolean => name !== "default" && name !== "kube-root-ca.crt";

/** The name of the CRD. */
export const WIDGETS = "widgets.widgets.treadle.dev";

/** The objects of a platform with these tenants. */
export const platformOf = (...tenants: readonly string[]): readonly string[] =>
  [
    "CustomResourceDefinition",
    "Namespace",
    "ConfigMap shared",
    "Widget welcome",
    ...tenants.flatMap((tenant) => PARTS.map((kind) => `${kind} ${tenant}`)),
  ].toSorted();

/** The objects of a tenant after its migration. */
const PARTS = ["ConfigMap", "ServiceAccount", "Role", "RoleBinding", "Deployment", "Service"];

/** Returns the requests other than watches, lists and events. */
export function requestsIn(log: RequestLog): readonly string[] {
  return log
    .filter({ verb: ["get", "create", "update", "patch", "apply", "delete"] })
    .filter(({ resource }) => resource !== "events")
    .map(({ verb, resource, subresource }) => `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`);
}
