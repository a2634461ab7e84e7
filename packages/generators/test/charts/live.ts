/** The objects of a cluster, without what differs between any two installations of one chart. */
import type { KubernetesObject, UntypedObject } from "@treadle/apimachinery";
import { type Client, discovery } from "@treadle/client";

/** Objects by `Kind.group namespace/name`. */
export type Live = ReadonlyMap<string, UntypedObject>;

/** Kinds whose objects controllers write, or that report what happened. */
const WRITTEN_BY_CONTROLLERS: ReadonlySet<string> = new Set(["Endpoints", "EndpointSlice", "Event", "Lease", "Node", "ControllerRevision"]);

/** Returns the objects that clients have written. Objects with a controller are those of the server. */
export async function liveObjects(client: Client): Promise<Live> {
  const found = new Map<string, UntypedObject>();
  const seen = new Set<string>();
  for (const kind of await discovery(client).kinds()) {
    const id = `${kind.kind}.${kind.group}`;
    if (seen.has(id) || !kind.verbs.includes("list") || WRITTEN_BY_CONTROLLERS.has(kind.kind)) continue;
    seen.add(id);
    for (const object of (await client.list(kind)).items)
      if (!isControlled(object)) found.set(`${id} ${object.metadata.namespace ?? ""}/${object.metadata.name}`, object);
  }
  return found;
}

function isControlled({ metadata }: KubernetesObject): boolean {
  return (metadata.ownerReferences ?? []).some(({ controller }) => controller === true);
}

/** What is left out of one side. */
export interface Differences {
  /** Whether an object is no part of the release, such as Helm's record of it. */
  readonly isForeign: (object: UntypedObject) => boolean;
  /** Labels and annotations that only this side writes. */
  readonly isMark: (name: string, value: string) => boolean;
  /** Finalizers that only this side writes. */
  readonly isFinalizer: (name: string) => boolean;
}

/** Returns objects as they are compared: without identity, versions, times, managers and status, and without the marks of their side. */
export function comparable(live: Live, before: Live, differences: Differences): Readonly<Record<string, unknown>> {
  const entries = [...live]
    .filter(([key, object]) => !before.has(key) && !differences.isForeign(object))
    .map(([key, object]): [string, unknown] => [key, stripped(object, differences)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function stripped(object: UntypedObject, { isMark, isFinalizer }: Differences): unknown {
  const { metadata, status: _, ...rest } = structuredClone(object) as UntypedObject & { readonly status?: unknown };
  const { name, namespace, labels, annotations, finalizers = [], ownerReferences } = metadata;
  return {
    ...withoutGeneratedNames(rest),
    metadata: {
      name,
      namespace,
      ownerReferences,
      labels: withoutMarks(labels, isMark),
      annotations: withoutMarks(annotations, isMark),
      finalizers: finalizers.filter((each) => !isFinalizer(each)),
    },
  };
}

function withoutMarks(values: Readonly<Record<string, string>> | undefined, isMark: Differences["isMark"]): object {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([name, value]) => !isMark(name, value) && !OF_JOBS.has(name)));
}

/** The server copies the labels of its pods to a Job without labels, such as a hook. Marks are labels, so our Jobs do not get them. */
const OF_JOBS: ReadonlySet<string> = new Set([
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
  "controller-uid",
  "job-name",
]);

/** A Job selects its pods by its uid, and a Service gets an address of the cluster. */
function withoutGeneratedNames(rest: object): object {
  const text = JSON.stringify(rest, (name, value: unknown) =>
    name === "batch.kubernetes.io/controller-uid" || name === "controller-uid" || GENERATED.has(name) ? "generated" : value,
  );
  return JSON.parse(text) as object;
}

const GENERATED: ReadonlySet<string> = new Set(["clusterIP", "clusterIPs", "nodePort", "healthCheckNodePort"]);
