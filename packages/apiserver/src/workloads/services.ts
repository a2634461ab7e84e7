/** The controllers of Services: EndpointSlices, Endpoints, and optionally the addresses of load balancers. */
import { formatTime, jsonEqual, type Kind, type KubernetesObject, keyOf } from "@treadle/apimachinery";
import { Pod, Service } from "@treadle/apimachinery/kinds";
import { controllerReference } from "./adoption.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { EndpointSlice, planSlices, type WantedSlice } from "./endpoint-slices.ts";
import { type Group, groupsOf, isManaged, isSelected, subsetsOf } from "./endpoints.ts";
import { controllersIn } from "./objects.ts";
import { conditionOf } from "./pods.ts";

interface Endpoints extends KubernetesObject {
  readonly subsets?: readonly object[];
}

const Endpoints: Kind<Endpoints> = { group: "", version: "v1", kind: "Endpoints", plural: "endpoints", scope: "Namespaced" };

const SERVICE_NAME = "kubernetes.io/service-name";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const CONTROLLER = "endpointslice-controller.k8s.io";
const HEADLESS = "service.kubernetes.io/headless";

function selecting({ objects }: Context): (pod: Pod, previous: Pod | undefined) => readonly string[] {
  return (pod, previous) =>
    objects
      .list(Service, pod.metadata.namespace ?? "")
      .filter((service) => isSelected(service, pod) || (previous !== undefined && isSelected(service, previous)))
      .map(({ metadata }) => keyOf(metadata));
}

export function endpointSlices(context: Context): Controller {
  const { objects, as } = context;
  const write = as("endpointslice-controller");
  const triggers = new Triggers();
  return {
    name: "endpointslice-controller",
    kind: Service,
    watches: [watch(Pod, selecting(context)), watch(EndpointSlice, controllersIn(Service))],
    async sync(key) {
      const service = objects.get(Service, key);
      if (service === undefined || !isManaged(service)) return triggers.forget(key);
      const pods = objects.list(Pod, service.metadata.namespace ?? "").filter((pod) => isSelected(service, pod));
      const annotations = triggers.of(key, service, pods);
      const { wanted, surplus } = planSlices(groupsOf(service, pods), ownSlices(service));
      for (const slice of surplus) await write.delete(EndpointSlice, slice);
      for (const one of wanted) await put(service, one, annotations);
      return undefined;
    },
  };

  function ownSlices({ metadata }: Service): readonly EndpointSlice[] {
    return objects
      .list(EndpointSlice, metadata.namespace ?? "")
      .filter(({ metadata: { labels } }) => labels?.[SERVICE_NAME] === metadata.name && labels[MANAGED_BY] === CONTROLLER);
  }

  async function put(service: Service, { slice, endpoints, ports }: WantedSlice, annotations: Annotations): Promise<void> {
    const { namespace, name } = service.metadata;
    const labels = { ...labelsOf(service), [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER };
    if (slice === undefined) {
      const metadata = { generateName: `${name}-`, labels, annotations, ownerReferences: [controllerReference(Service, service)] };
      await write.create(EndpointSlice, namespace, { metadata, addressType: "IPv4", endpoints, ports });
      return;
    }
    const isAsWanted = jsonEqual(slice.endpoints ?? [], endpoints ?? []) && jsonEqual(slice.ports ?? [], ports ?? []);
    if (isAsWanted && jsonEqual(slice.metadata.labels, labels)) return;
    await write.update(EndpointSlice, {
      ...slice,
      metadata: { ...slice.metadata, labels, annotations: annotations ?? {} },
      endpoints,
      ports,
    } as EndpointSlice);
  }
}

export function endpoints(context: Context): Controller {
  const { objects, as } = context;
  const write = as("endpoint-controller");
  const triggers = new Triggers();
  return {
    name: "endpoint-controller",
    kind: Service,
    watches: [watch(Pod, selecting(context)), watch(Endpoints, ({ metadata }) => [keyOf(metadata)])],
    async sync(key) {
      const service = objects.get(Service, key);
      const live = objects.get(Endpoints, key);
      if (service === undefined && live?.metadata.labels?.["endpoints.kubernetes.io/managed-by"] !== undefined)
        await write.delete(Endpoints, live);
      if (service === undefined || !isManaged(service)) return triggers.forget(key);
      const pods = objects.list(Pod, service.metadata.namespace ?? "").filter((pod) => isSelected(service, pod));
      await put(service, live, groupsOf(service, pods), triggers.of(key, service, pods));
      return undefined;
    },
  };

  async function put(service: Service, live: Endpoints | undefined, groups: readonly Group[], annotations: Annotations): Promise<void> {
    const { name, namespace } = service.metadata;
    const labels = { ...labelsOf(service), "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
    const subsets = subsetsOf(service, groups);
    if (live === undefined) {
      await write.create(Endpoints, namespace, { metadata: { name, labels, annotations }, subsets });
      return;
    }
    if (jsonEqual(live.subsets ?? [], subsets) && jsonEqual(live.metadata.labels, labels)) return;
    await write.update(Endpoints, {
      ...live,
      metadata: { ...live.metadata, labels, annotations: annotations ?? {} },
      subsets,
    } as Endpoints);
  }
}

/** Gives Services of type LoadBalancer an address, as a cloud does. */
export function loadBalancers({ settings, objects, as }: Context): Controller {
  const write = as("cloud-controller-manager");
  return {
    name: "cloud-controller-manager",
    kind: Service,
    async sync(key) {
      const service = objects.get(Service, key);
      if (service === undefined || !settings.loadBalancers || service.metadata.deletionTimestamp !== undefined) return undefined;
      const has = (service.status?.loadBalancer?.ingress ?? []).length > 0;
      const isWanted = service.spec?.type === "LoadBalancer";
      if (has === isWanted) return undefined;
      // An address in 203.0.113.0/24, the range for documentation. It follows from the cluster address, so it does not change.
      const last = Number(service.spec?.clusterIP?.split(".").at(-1) ?? 1);
      const ingress = isWanted ? [{ ip: `203.0.113.${Number.isInteger(last) ? last : 1}`, ipMode: "VIP" }] : null;
      await write.patchStatus(Service, service, { loadBalancer: { ingress } });
      return undefined;
    },
  };
}

function labelsOf({ metadata, spec }: Service): Readonly<Record<string, string>> {
  const { [HEADLESS]: _, ...labels } = metadata.labels ?? {};
  return spec?.clusterIP === "None" ? { ...labels, [HEADLESS]: "" } : labels;
}

const TRIGGERED = "endpoints.kubernetes.io/last-change-trigger-time";

type Annotations = Readonly<Record<string, string>> | undefined;

/** Times of the changes that triggered a change of endpoints. Each is used once, for the first write after it. */
class Triggers {
  readonly #seen = new Map<string, ReadonlyMap<string, number>>();

  of(key: string, service: Service, pods: readonly Pod[]): Annotations {
    const times = new Map([["", Date.parse(service.metadata.creationTimestamp ?? "")]]);
    for (const pod of pods) {
      const time = Date.parse(conditionOf(pod, "Ready")?.lastTransitionTime ?? "");
      if (!Number.isNaN(time)) times.set(pod.metadata.name, time);
    }
    const before = this.#seen.get(key);
    this.#seen.set(key, times);
    const changed = [...times].filter(([name, time]) => time > (before?.get(name) ?? 0)).map(([, time]) => time);
    return changed.length === 0 ? undefined : { [TRIGGERED]: formatTime(Math.min(...changed)) };
  }

  forget(key: string): undefined {
    this.#seen.delete(key);
  }
}
