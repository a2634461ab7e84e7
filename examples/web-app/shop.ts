/** The WebApp of the tests, and the parts of its status that they compare. Not part of the operator. */
import type { RequestLog, TestCluster } from "@treadle/testing";
import { dependentsOf } from "treadle";
import { Secret } from "treadle/kinds";
import { WebApp } from "./web-app.ts";

/** The cluster of a story or of an exploration. */
type Environment = Pick<TestCluster, "create" | "get" | "update">;

/** Creates the Secret that another operator would create. */
export async function createCredentials(cluster: Environment): Promise<void> {
  await cluster.create(Secret, { metadata: { name: "db" }, data: { user: btoa("anna"), password: btoa("secret") } });
}

/** Creates the WebApp `shop` and its Secret, and waits until it is rolled out. */
export async function openShop(cluster: TestCluster, spec: Partial<WebApp["spec"]> = {}): Promise<void> {
  await createCredentials(cluster);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec });
  await cluster.settled();
}

/** Changes the spec of the WebApp. */
export async function change(cluster: Environment, spec: Partial<WebApp["spec"]>): Promise<void> {
  await cluster.update(WebApp, "shop", (app) => void Object.assign(app.spec, spec));
}

/** Returns the conditions of the WebApp: `{ WebReady: "False Blocked" }`. */
export async function conditionsOf(cluster: Environment): Promise<Readonly<Record<string, string>>> {
  const { status } = (await cluster.get(WebApp, "shop")) ?? {};
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]));
}

/** Returns the entries of the WebApp: `{ store: "Pending Creating" }`. */
export async function entriesOf(cluster: Environment): Promise<Readonly<Record<string, string>>> {
  const app = await cluster.get(WebApp, "shop");
  return Object.fromEntries(dependentsOf(app ?? {}).map(({ step, type, reason }) => [step, `${type} ${reason}`]));
}

/** Returns the requests other than watches, lists and events. */
export function requestsIn(log: RequestLog): readonly string[] {
  return log
    .filter({ verb: ["get", "create", "update", "patch", "apply", "delete"] })
    .filter(({ resource }) => resource !== "events")
    .map(({ verb, resource, subresource }) => `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`);
}
