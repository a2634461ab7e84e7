/** The Fleet of the tests, and the parts of the cluster that they compare. Not part of the operator. */
import type { TestCluster } from "@treadle/testing";
import { ConfigMap, CustomResourceDefinition, Deployment, Role, RoleBinding, Service, ServiceAccount } from "treadle/kinds";
import { Fleet, Robot } from "./fleet.ts";

/** The cluster of a story or of an exploration. */
type Environment = Pick<TestCluster, "get" | "list">;

/** The name of the CRD. */
export const ROBOTS = "robots.robots.treadle.dev";

/** Returns the condition of the set: `True Ready: 30 objects are ready`. */
export async function conditionOf(cluster: Environment): Promise<string> {
  const found = (await cluster.get(Fleet, "north"))?.status?.conditions?.find(({ type }) => type === "FleetReady");
  return found === undefined ? "none" : `${found.status} ${found.reason}: ${found.message ?? ""}`;
}

/** Returns the number of objects of each kind that carry the label of the fleet. */
export async function countsOf(cluster: Environment): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const isServed = (await cluster.get(CustomResourceDefinition, ROBOTS)) !== undefined;
  for (const kind of [
    CustomResourceDefinition,
    ConfigMap,
    Deployment,
    Role,
    RoleBinding,
    Service,
    ServiceAccount,
    ...(isServed ? [Robot] : []),
  ]) {
    const found = await cluster.list(kind, kind.scope === "Cluster" ? undefined : "default");
    const ours = found.filter(({ metadata }) => metadata.labels?.["fleets.examples.treadle.dev/dependent"] === "fleet");
    if (ours.length > 0) counts[kind.kind] = ours.length;
  }
  return counts;
}

/** The objects of a fleet with eight robots: 30. */
export const COUNTS = {
  CustomResourceDefinition: 1,
  ConfigMap: 9,
  Deployment: 4,
  Role: 1,
  RoleBinding: 1,
  Service: 3,
  ServiceAccount: 1,
  Robot: 10,
};
