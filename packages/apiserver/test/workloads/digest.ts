/**
 * The compared part of a scenario's objects: the decisions of controllers. Uids, times, hashes and random suffixes of names
 * become placeholders that still show which are equal. Versions, defaults of pods, and fields of kubelets are omitted.
 */
import type { Json } from "../conformance/session.ts";
import type { Objects } from "./scenario.ts";

export interface Step {
  readonly step: string;
  /** Objects by resource; resources without objects are omitted. */
  readonly objects: Partial<Objects>;
}

/** Makes the digests of all steps of a scenario at once, so that a placeholder is the same in all steps. */
export function digest(steps: readonly Step[]): readonly Step[] {
  const names = new Placeholders(steps.flatMap(({ objects }) => Object.values(objects).flat()));
  return steps.map(({ step, objects }) => ({
    step,
    objects: Object.fromEntries(
      Object.entries(objects).flatMap(([resource, list]) => {
        // Nodes and classes belong to the cluster; controllers of workloads only read them.
        if (list.length === 0 || resource === "nodes" || resource === "storageclasses") return [];
        if (resource === "events")
          return [[resource, counted(list.filter(isCompared).map((event) => names.replace(eventOf(event)) as Json))]];
        // Names of types end with a part of the time.
        if (resource === "validatingadmissionpolicies")
          return [[resource, counted(list.map((object) => names.replace(reduce(resource, withoutTypeNumbers(object))) as Json))]];
        return [[resource, counted(list.map((object) => names.replace(reduce(resource, object)) as Json))]];
      }),
    ),
  }));
}

function withoutTypeNumbers(object: Json): Json {
  return JSON.parse(JSON.stringify(object).replace(/\b([A-Z][A-Za-z]+)\d+(?=[.,)' ])/g, "$1N")) as Json;
}

/** Components whose events are compared. */
const REPORTERS = ["deployment", "replicaset", "replication", "statefulset", "daemonset", "job", "cronjob"].map(
  (name) => `${name}-controller`,
);

function isCompared({ source }: Json): boolean {
  return [...REPORTERS, "horizontal-pod-autoscaler"].includes((source as Json)["component"]);
}

/** Keeps the event without the identities of its objects. */
function eventOf({ metadata, involvedObject, ...event }: Json): Json {
  const { uid: _, resourceVersion: __, ...about } = involvedObject as Json;
  const { apiVersion: ___, kind: ____, ...content } = event;
  return { metadata: { name: about["name"], managers: managers(metadata.managedFields ?? []) }, involvedObject: about, ...content };
}

/** Returns the objects in the order of their names. Equal ones are listed once, with their number. */
function counted(objects: readonly Json[]): readonly Json[] {
  const groups = Map.groupBy(objects, (object) => `${object["metadata"].name} ${JSON.stringify(object)}`);
  return [...groups]
    .toSorted(([a], [b]) => compareText(a, b))
    .flatMap(([, [one = {}, ...others]]) => (others.length === 0 ? one : { times: others.length + 1, ...one }));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function reduce(resource: string, { metadata, ...rest }: Json): Json {
  const {
    name,
    labels,
    annotations,
    finalizers,
    ownerReferences,
    generation,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    managedFields,
  } = metadata as Json;
  const isOwned = Array.isArray(ownerReferences);
  return {
    metadata: compact({
      name,
      labels,
      annotations,
      finalizers,
      ownerReferences,
      generation,
      deletionGracePeriodSeconds,
      deletionTimestamp,
      managers: managers(managedFields ?? []),
    }),
    ...Object.fromEntries(Object.entries(rest).flatMap(([field, value]) => keep(resource, field, value, isOwned))),
  };
}

/** Keeps the specs of users as they are, except for the numbers that controllers set. */
function keep(resource: string, field: string, value: unknown, isOwned: boolean): readonly (readonly [string, unknown])[] {
  if (field === "apiVersion" || field === "kind") return [];
  const object = (field === "spec" || field === "status" ? value : {}) as Json; // that is what these are
  switch (resource) {
    case "pods":
      return field === "spec" ? [[field, podSpec(object)]] : field === "status" ? [[field, podStatus(object)]] : [];
    case "replicasets":
    case "replicationcontrollers":
      return field === "spec" ? [[field, { replicas: object["replicas"], selector: object["selector"] }]] : [[field, value]];
    case "controllerrevisions":
      // The data are the template of the owner.
      return field === "data" ? [] : [[field, value]];
    case "endpoints":
    case "endpointslices":
    case "persistentvolumes":
    case "persistentvolumeclaims":
      return [[field, value]];
    default:
      // The template of an owned object is that of its owner.
      return field !== "spec" ? [[field, value]] : isOwned ? [[field, { ...object, template: undefined }]] : [];
  }
}

/** Returns the managers and their subresources. Their fields are compared elsewhere. */
function managers(entries: readonly Json[]): readonly string[] {
  const texts = entries.map(
    ({ manager, operation, subresource }) => `${manager} ${operation}${subresource === undefined ? "" : ` ${subresource}`}`,
  );
  return [...new Set(texts)].filter((text) => !KUBELETS.some((name) => text.startsWith(name))).toSorted();
}

/** The stand-in for scheduler and kubelet, and the simulated ones, write in different ways. */
const KUBELETS = ["scenario ", "node ", "treadle", "kubelet ", "kube-scheduler "];

const POD_DEFAULTS: Readonly<Record<string, unknown>> = {
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
  serviceAccount: "default",
  serviceAccountName: "default",
  terminationGracePeriodSeconds: 30,
  restartPolicy: "Always",
  enableServiceLinks: true,
  preemptionPolicy: "PreemptLowerPriority",
  priority: 0,
};

function podSpec(spec: Json): Json {
  const kept = Object.entries(spec).filter(([field, value]) => POD_DEFAULTS[field] !== value && !isEmpty(value));
  const isDaemon = JSON.stringify(spec["affinity"] ?? {}).includes("matchFields");
  return {
    ...Object.fromEntries(kept),
    // Admission adds these to each pod, after those of its controller.
    ...(spec["tolerations"] === undefined ? {} : { tolerations: isDaemon ? spec["tolerations"] : undefined }),
    containers: (spec["containers"] as Json[]).map(({ name, image, env }) => compact({ name, image, env })),
    volumes: (spec["volumes"] as Json[] | undefined)?.filter(({ name }) => !String(name).startsWith("kube-api-access-")),
  };
}

/** Returns the parts of a pod's status that the kubelet does not write. */
function podStatus({ phase, conditions = [] }: Json): Json {
  const own = (conditions as Json[]).filter(({ type }) => ["DisruptionTarget", "FailureTarget"].includes(type));
  const ready = (conditions as Json[]).find(({ type }) => type === "Ready");
  return compact({ phase, ready: ready?.["status"] === "True", conditions: own.length === 0 ? undefined : own });
}

function compact(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** A refused pod was never an object, so its name is not among those of the objects. */
const REFUSED_POD = /(pods "[^"]*-)[a-z0-9]{5}(" is forbidden)/;

/** Finds the texts that the servers chose in all steps. */
class Placeholders {
  readonly #texts = new Map<string, string>();
  readonly #pattern: RegExp | undefined;

  constructor(objects: readonly Json[]) {
    for (const { metadata } of objects) {
      const { name, generateName, uid, labels = {} } = metadata as Json;
      const hash = labels["pod-template-hash"];
      const revision = labels["controller-revision-hash"];
      const minute =
        metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] === undefined ? undefined : name.split("-").at(-1);
      if (hash !== undefined) this.#learn(hash, "hash");
      if (minute !== undefined) this.#learn(minute, "minute");
      // The revision of a StatefulSet is the whole name, that of a DaemonSet only its suffix.
      if (typeof revision === "string") this.#learn(revision.split("-").at(-1) ?? revision, "revision");
      const ending = generateName === undefined ? undefined : String(name).slice(String(generateName).length);
      if (ending !== undefined && /^[a-z0-9]{5}$/.test(ending)) this.#texts.set(ending, "<ending>");
      this.#texts.set(uid, `<uid ${name}>`);
    }
    const texts = [...this.#texts.keys()].toSorted((a, b) => b.length - a.length);
    if (texts.length > 0) this.#pattern = new RegExp(`\\b(${texts.join("|")})\\b`, "g");
  }

  /** Numbers the texts in the order of their first use. */
  #learn(text: string, what: string): void {
    if (this.#texts.has(text)) return;
    const count = [...this.#texts.values()].filter((each) => each.startsWith(`<${what} `)).length;
    this.#texts.set(text, `<${what} ${count + 1}>`);
  }

  replace(value: unknown): unknown {
    if (typeof value === "string") return this.#inText(value);
    if (Array.isArray(value)) return value.map((each) => this.replace(each));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).flatMap(([key, member]) => {
      const kept = key === "resourceVersion" || (key === "nodePort" && Number(member) > 0) ? undefined : this.replace(member);
      return kept === undefined ? [] : [[this.#inText(key), kept] as const];
    });
    return Object.fromEntries(members.toSorted(([a], [b]) => compareText(a, b)));
  }

  #inText(text: string): string {
    const known = this.#pattern === undefined ? text : text.replaceAll(this.#pattern, (found) => this.#texts.get(found) ?? found);
    // A uid in a placeholder may contain a name with a suffix.
    const named = this.#pattern === undefined ? known : known.replaceAll(this.#pattern, (found) => this.#texts.get(found) ?? found);
    return named
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
      .replaceAll(/\b(10|127|192|172)\.\d+\.\d+\.\d+\b/g, "<ip>")
      .replace(REFUSED_POD, "$1<ending>$2")
      .replace(/^(stand-in|node-\d+)$/, "<node>");
  }
}
