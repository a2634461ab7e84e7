/** Distributes the endpoints of a Service over slices with as few changes as possible. Pure. */
import { jsonEqual, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import type { Endpoint, EndpointPort, Group } from "./endpoints.ts";

export interface EndpointSlice extends KubernetesObject {
  readonly addressType: string;
  /** Null for no endpoints, as Go writes it. */
  readonly endpoints: readonly Endpoint[] | null;
  readonly ports?: readonly EndpointPort[] | null;
}

export const EndpointSlice: Kind<EndpointSlice> = {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  scope: "Namespaced",
};

/** Desired content of a slice. `slice` is absent for a slice to create. */
export interface WantedSlice {
  readonly slice: EndpointSlice | undefined;
  readonly endpoints: readonly Endpoint[] | null;
  readonly ports: readonly EndpointPort[] | null;
}

export interface SlicePlan {
  /** All desired slices, including unchanged ones. */
  readonly wanted: readonly WantedSlice[];
  readonly surplus: readonly EndpointSlice[];
}

/** kube-controller-manager `--max-endpoints-per-slice`. */
const MAX_ENDPOINTS = 100;

/** Plans the slices. Each endpoint stays in its slice; new endpoints fill free places. There is always one slice, possibly empty. */
export function planSlices(groups: readonly Group[], existing: readonly EndpointSlice[]): SlicePlan {
  const free = new Set(existing);
  const wanted = groups.flatMap(({ ports, endpoints }) => {
    const own = [...free].filter((slice) => jsonEqual(slice.ports ?? [], ports));
    // An empty slice can serve any ports.
    const [empty] = own.length > 0 ? [] : [...free].filter((slice) => (slice.endpoints ?? []).length === 0);
    const slices = empty === undefined ? own : [empty];
    for (const slice of slices) free.delete(slice);
    return spread(endpoints, slices).map((one) => ({ ...one, ports: ports.length === 0 ? null : ports }));
  });
  const filled = wanted.filter(({ endpoints }) => endpoints.length > 0);
  const left = [...free, ...wanted.flatMap(({ slice, endpoints }) => (endpoints.length > 0 || slice === undefined ? [] : [slice]))];
  if (filled.length > 0) return { wanted: filled, surplus: left };
  const [slice, ...surplus] = left;
  return { wanted: [{ slice, endpoints: null, ports: null }], surplus };
}

function spread(
  endpoints: readonly Endpoint[],
  slices: readonly EndpointSlice[],
): { readonly slice: EndpointSlice | undefined; readonly endpoints: Endpoint[] }[] {
  const left = new Map(endpoints.map((endpoint) => [endpoint.targetRef?.uid, endpoint]));
  const spreads: { slice: EndpointSlice | undefined; endpoints: Endpoint[] }[] = slices.map((slice) => {
    const kept = (slice.endpoints ?? []).flatMap(({ targetRef }) => left.get(targetRef?.uid) ?? []);
    for (const { targetRef } of kept) left.delete(targetRef?.uid);
    return { slice, endpoints: kept };
  });
  for (const endpoint of left.values()) {
    let room = spreads.find((one) => one.endpoints.length < MAX_ENDPOINTS);
    if (room === undefined) spreads.push((room = { slice: undefined, endpoints: [] }));
    room.endpoints.push(endpoint);
  }
  return spreads;
}
