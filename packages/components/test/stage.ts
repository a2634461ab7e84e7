/** An owner whose spec decides everything that the stories of components are about. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, type Job, Secret } from "@treadle/apimachinery/kinds";
import { type AnyDependentStep, dependentApply, dependentsOf } from "@treadle/dependents";
import { all, type AnyStep, conditions, type Handler, handler } from "@treadle/reconcile";
import { type FakeWorld, fakeWorld, type FakeWorldOptions, type TestEnvironment, type UserActions } from "@treadle/testing";
import { z } from "zod";
import { component } from "../src/component.ts";

export const App = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({
    on: z.boolean().default(true),
    suspended: z.boolean().default(false),
    text: z.string().default("one"),
    replicas: z.int32().optional(),
    scaled: z.boolean().default(false),
    held: z.array(z.string()).default([]),
    names: z.array(z.string()).default([]),
  }),
  status: z.object({}),
});
export interface App extends ObjectOf<typeof App> {}

const WRITES = ["create", "update", "patch", "apply", "delete"] as const;
export const app = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "test.treadle.dev/v1",
  kind: "App",
  metadata: { name: "a", ...metadata },
  spec,
});
export const secret = (name: string, value: string = "anna"): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  data: { user: btoa(value) },
});
export const configMap = (name: string, data: object = {}): object => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

/** The spec of a Deployment or StatefulSet; without replicas it does not name them. */
export const workload = (name: string, { spec }: Pick<App, "spec">) => ({
  ...(spec.replicas === undefined ? {} : { replicas: spec.replicas }),
  selector: { matchLabels: { app: name } },
  template: {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "main", image: `main:${spec.text}` }] },
  },
});
export const jobSpec = ({ spec }: Pick<App, "spec">): NonNullable<Job["spec"]> => ({
  template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: `main:${spec.text}` }] } },
});

/** A ConfigMap, which is ready when it exists. `spec.held` with its name holds it back. */
export const page = (name: string, options: object = {}) =>
  dependentApply(App, {
    name,
    kind: ConfigMap,
    objectName: name,
    desired: ({ spec }) => ({ data: { text: spec.text } }),
    until: ({ spec }) => (spec.held.includes(name) ? `${name} is held` : true),
    ...options,
  });
/** A Deployment. */
export const web = (name: string, options: object = {}) =>
  dependentApply(App, {
    name,
    kind: Deployment,
    objectName: name,
    desired: (owner) => ({ spec: workload(name, owner) }),
    until: ({ spec }) => (spec.held.includes(name) ? `${name} is held` : true),
    ...options,
  });
/** A Secret that another writer creates, and whose user it gives. */
export const login = (options: object = {}) =>
  dependentApply(App, {
    name: "login",
    kind: Secret,
    created: false,
    objectName: "login",
    gives: { user: (live) => live.data?.["user"] },
    readyWhen: () => true,
    ...options,
  });

type Options = Omit<
  Parameters<typeof component<typeof App, string, string, readonly AnyDependentStep[], readonly AnyStep[]>>[1],
  "resources"
>;

/** A component with the condition `MainReady`, that the spec switches and suspends. */
export const main = (resources: readonly unknown[], options: Partial<Options> = {}) =>
  component(App, {
    name: "main",
    condition: "MainReady",
    enabled: ({ spec }) => spec.on,
    suspended: ({ spec }) => spec.suspended,
    ...options,
    resources: resources as never,
  });
export const handlerOf = (...steps: readonly object[]): Handler<App> =>
  handler(App)
    .step(conditions())
    .step(all("components", steps as never) as never)
    .build() as unknown as Handler<App>;

/** A world with the owner `a`, whose first passes have run. */
export async function settled(
  steps: object | readonly object[],
  options: FakeWorldOptions<App> & { spec?: object } = {},
): Promise<FakeWorld> {
  const { spec = {}, objects = [], ...rest } = options;
  const world = fakeWorld(handlerOf(...[steps].flat()), { objects: [...objects, app(spec)], ...rest });
  await world.settled();
  return world;
}

type Environment = Pick<TestEnvironment, "get" | "requests">;

/** The conditions of the owner, as `False Blocked: text`. */
export async function told(environment: Environment, name: string = "a"): Promise<Readonly<Record<string, string>>> {
  const { status } = (await environment.get(App, name)) ?? {};
  const texts = (status?.conditions ?? []).map(({ type, status: is, reason, message }) => {
    return [type, `${is} ${reason}${(message ?? "") === "" ? "" : `: ${message}`}`] as const;
  });
  return Object.fromEntries(texts);
}
export const mainOf = async (environment: Environment): Promise<string | undefined> => (await told(environment))["MainReady"];
/** The entries of the owner, as `Pending Creating`, by resource. */
export async function entries(environment: Environment, name: string = "a"): Promise<Readonly<Record<string, string>>> {
  const found = dependentsOf((await environment.get(App, name)) ?? {});
  return Object.fromEntries(found.map(({ step, type, reason }) => [step, `${type} ${reason}`]));
}
/** Changes the spec of the owner, and lets its passes run. */
export async function change(
  environment: Pick<UserActions, "update"> & { settled(): Promise<void> },
  spec: Partial<App["spec"]>,
): Promise<void> {
  await environment.update(App, "a", (owner) => void Object.assign(owner.spec, spec));
  await environment.settled();
}
export const writes = ({ requests }: Environment): readonly string[] =>
  requests
    .filter({ verb: WRITES })
    .map(({ verb, resource, subresource, name }) => `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`} ${name}`);
export const eventsOf = ({ events }: Pick<FakeWorld, "events">): readonly string[] =>
  events.map(({ reason, note }) => `${reason}: ${note}`);
/** Names of existing ConfigMaps. */
export const pages = async (environment: Pick<TestEnvironment, "list">): Promise<readonly string[]> =>
  (await environment.list(ConfigMap)).map(({ metadata }) => metadata.name ?? "");
