/**
 * The functions of a workload scenario. It sends requests, lets the controllers act, and records their results. The same
 * scenarios run on a real control plane in real time, and on the simulated controllers.
 */
import type { ApiRequest, Transport } from "@treadle/apimachinery";
import type { Json } from "../conformance/session.ts";

export interface Scenario {
  readonly name: string;
  /** Whether the events of controllers are compared, too. */
  readonly hasEvents?: true;
  /** Whether it reports metrics of pods. Other scenarios see a cluster without metrics. */
  readonly hasMetrics?: true;
  run(stage: Stage): Promise<void>;
}

/** Objects in the namespace of a scenario, by resource (`deployments`), in the order of their names. */
export type Objects = Readonly<Record<Resource, readonly Json[]>>;

export interface Stage {
  readonly namespace: string;
  /** Creates an object, in the namespace of the scenario if its kind has one. */
  create(resource: Resource, object: Json): Promise<Json>;
  merge(resource: Resource, name: string, body: Json, subresource?: string): Promise<Json>;
  get(resource: Resource, name: string): Promise<Json>;
  remove(resource: Resource, name: string, propagationPolicy?: "Background" | "Foreground" | "Orphan"): Promise<void>;
  /** Reports how much each pod that exists uses from now on. Needs `hasMetrics`. */
  report(use: Readonly<Record<string, string>>): Promise<void>;
  /** Lets the controllers act until `until` holds and nothing changes, and records the objects as `step`. */
  settle(step: string, until?: (objects: Objects) => boolean): Promise<void>;
}

/** Paths of the resources. */
const RESOURCES = {
  deployments: { prefix: "/apis/apps/v1" },
  replicasets: { prefix: "/apis/apps/v1" },
  statefulsets: { prefix: "/apis/apps/v1" },
  daemonsets: { prefix: "/apis/apps/v1" },
  controllerrevisions: { prefix: "/apis/apps/v1" },
  jobs: { prefix: "/apis/batch/v1" },
  cronjobs: { prefix: "/apis/batch/v1" },
  replicationcontrollers: { prefix: "/api/v1" },
  resourcequotas: { prefix: "/api/v1" },
  horizontalpodautoscalers: { prefix: "/apis/autoscaling/v2" },
  pods: { prefix: "/api/v1" },
  events: { prefix: "/api/v1" },
  services: { prefix: "/api/v1" },
  endpoints: { prefix: "/api/v1" },
  endpointslices: { prefix: "/apis/discovery.k8s.io/v1" },
  persistentvolumeclaims: { prefix: "/api/v1" },
  poddisruptionbudgets: { prefix: "/apis/policy/v1" },
  persistentvolumes: { prefix: "/api/v1", isClusterWide: true },
  customresourcedefinitions: { prefix: "/apis/apiextensions.k8s.io/v1", isClusterWide: true },
  validatingadmissionpolicies: { prefix: "/apis/admissionregistration.k8s.io/v1", isClusterWide: true },
  nodes: { prefix: "/api/v1", isClusterWide: true },
  storageclasses: { prefix: "/apis/storage.k8s.io/v1", isClusterWide: true },
} as const satisfies Readonly<Record<string, { readonly prefix: string; readonly isClusterWide?: true }>>;

export type Resource = keyof typeof RESOURCES;

/** Label with the behaviour of pods, see {@link template}. Nodes with it are treated as real ones. */
export const LABEL = "treadle.dev/stand-in";

function isClusterWide(resource: Resource): boolean {
  return "isClusterWide" in RESOURCES[resource];
}

/** Returns requests to one server in one namespace. @throws Error with the server's answer when a request is refused */
export function requests(transport: Transport, namespace: string): Omit<Stage, "settle" | "report"> & { objects(): Promise<Objects> } {
  const pathOf = (resource: Resource): string => {
    const { prefix } = RESOURCES[resource];
    return isClusterWide(resource) ? `${prefix}/${resource}` : `${prefix}/namespaces/${namespace}/${resource}`;
  };
  const send = async (method: ApiRequest["method"], path: string, body?: Json, type = "application/json"): Promise<Json> => {
    const headers = { "user-agent": "scenario/1.0", accept: "application/json", "content-type": type };
    const response = await transport.request({ method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.body ?? ""}`);
    return JSON.parse(response.body ?? "{}") as Json; // an answer of an API server
  };
  return {
    namespace,
    create: (resource, object) => send("POST", pathOf(resource), object),
    get: (resource, name) => send("GET", `${pathOf(resource)}/${name}`),
    merge: (resource, name, body, subresource) =>
      send(
        "PATCH",
        `${pathOf(resource)}/${name}${subresource === undefined ? "" : `/${subresource}`}`,
        body,
        "application/merge-patch+json",
      ),
    async remove(resource, name, propagationPolicy) {
      await send("DELETE", `${pathOf(resource)}/${name}`, propagationPolicy === undefined ? undefined : { propagationPolicy });
    },
    async objects() {
      const lists = (Object.keys(RESOURCES) as Resource[]).map(async (resource) => {
        const { items } = await send("GET", pathOf(resource));
        // Scenarios run at the same time, so cluster-scoped objects have the namespace in their name.
        const own = (items as Json[]).filter(({ metadata }) => !isClusterWide(resource) || String(metadata.name).includes(namespace));
        return [resource, own] as const;
      });
      return Object.fromEntries(await Promise.all(lists)) as unknown as Objects; // one for each resource
    },
  };
}

/**
 * Returns a pod template. `behaviour`: `ready` is the default, and a pod of a Job succeeds; pods with `not-ready` run and
 * never become ready; pods with `runs` run even for a Job; containers with `exit-N` exit with N.
 */
export function template(app: string, { behaviour, spec = {}, image = "app:1" }: Template = {}): Json {
  return {
    metadata: { labels: { app, ...(behaviour === undefined ? {} : { [LABEL]: behaviour }) } },
    spec: { containers: [{ name: "main", image }], ...spec },
  };
}

export interface Template {
  readonly behaviour?: string;
  readonly spec?: Json;
  readonly image?: string;
}
