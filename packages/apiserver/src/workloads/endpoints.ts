/** The endpoints of a Service: the contents of its EndpointSlices and its Endpoints. Pure. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Pod, Service } from "@treadle/apimachinery/kinds";
import { isReady } from "./pods.ts";

export interface EndpointPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean };
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: { readonly kind: string; readonly namespace: string; readonly name: string; readonly uid: string };
}

/** Pods with the same ports. */
export interface Group {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** Reports whether controllers manage the endpoints of the Service. */
export function isManaged({ spec, metadata }: Service): boolean {
  return spec?.selector !== undefined && spec.type !== "ExternalName" && metadata.deletionTimestamp === undefined;
}

/** Reports whether the selector of the Service, a plain map of labels, matches. */
export function isSelected({ spec }: Service, { metadata }: KubernetesObject): boolean {
  const wanted = Object.entries(spec?.selector ?? {});
  return spec?.selector !== undefined && wanted.every(([label, value]) => metadata.labels?.[label] === value);
}

export function groupsOf(service: Service, pods: readonly Pod[]): readonly Group[] {
  const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
  for (const pod of pods) {
    if (!isSelected(service, pod) || !isReachable(pod)) continue;
    const ports = portsOf(service, pod);
    const id = JSON.stringify(ports);
    const group = groups.get(id) ?? { ports, endpoints: [] };
    group.endpoints.push(endpointOf(service, pod));
    groups.set(id, group);
  }
  return [...groups.values()];
}

function isReachable({ status }: Pod): boolean {
  return Boolean(status?.podIP) && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

function endpointOf(service: Service, pod: Pod): Endpoint {
  const { metadata, spec, status } = pod;
  const serving = isReady(pod);
  const terminating = metadata.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const isNamed = Boolean(spec?.hostname) && spec?.subdomain === service.metadata.name;
  return {
    addresses: [status?.podIP ?? ""],
    conditions: { ready, serving, terminating },
    ...(isNamed ? { hostname: spec?.hostname ?? "" } : {}),
    ...(spec?.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
    targetRef: { kind: "Pod", namespace: metadata.namespace ?? "", name: metadata.name, uid: metadata.uid ?? "" },
  };
}

/** Returns the ports of the Service as numbers of this pod. Ports that the pod does not have are omitted. */
function portsOf({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  return (spec?.ports ?? []).flatMap(({ name = "", port, targetPort = port, protocol = "TCP", appProtocol }) => {
    const number = typeof targetPort === "number" ? targetPort : portNamed(pod, String(targetPort), protocol);
    return number === undefined ? [] : [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function portNamed({ spec }: Pod, name: string, protocol: string): number | undefined {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.find((port) => port.name === name && (port.protocol ?? "TCP") === protocol)?.containerPort;
}

/** Returns the subsets of the older kind Endpoints: ready and other addresses by ports. */
export function subsetsOf(service: Service, groups: readonly Group[]): readonly object[] {
  const hasPorts = (service.spec?.ports ?? []).length > 0;
  const showsAll = service.spec?.publishNotReadyAddresses === true;
  return groups.flatMap(({ ports, endpoints }) => {
    const shown = endpoints.filter(({ conditions }) => showsAll || !conditions.terminating);
    if ((hasPorts && ports.length === 0) || shown.length === 0) return [];
    const ready = shown.filter(({ conditions }) => conditions.ready).map(addressOf);
    const notReady = shown.filter(({ conditions }) => !conditions.ready).map(addressOf);
    return [
      {
        ...(ready.length === 0 ? {} : { addresses: ready }),
        ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
        ...(ports.length === 0 ? {} : { ports: ports.map(({ name, ...port }) => ({ ...(name === "" ? {} : { name }), ...port })) }),
      },
    ];
  });
}

function addressOf({ addresses: [ip = ""], hostname, nodeName, targetRef }: Endpoint): object {
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}
