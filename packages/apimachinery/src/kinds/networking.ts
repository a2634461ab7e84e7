/** The built-in kinds of networks that operators use less often. */
import type { V1EndpointSlice, V1Endpoints, V1IPAddress, V1IngressClass, V1ServiceCIDR } from "@kubernetes/client-node";
import type { ObjectOf } from "../kind.ts";
import type { BuiltInKind } from "../plain-json.ts";
import { clusterScoped, namespaced } from "./built-in.ts";

/** The built-in kind IngressClass, of networking.k8s.io/v1. */
export const IngressClass: BuiltInKind<V1IngressClass> = clusterScoped("networking.k8s.io/v1", "IngressClass", "ingressclasses");
/** An object of kind IngressClass, as the server returns it. */
export interface IngressClass extends ObjectOf<typeof IngressClass> {}

/** The built-in kind EndpointSlice, of discovery.k8s.io/v1. */
export const EndpointSlice: BuiltInKind<V1EndpointSlice> = namespaced("discovery.k8s.io/v1", "EndpointSlice", "endpointslices");
/** An object of kind EndpointSlice, as the server returns it. */
export interface EndpointSlice extends ObjectOf<typeof EndpointSlice> {}

/** The built-in kind Endpoints. Kubernetes deprecates it: use EndpointSlice. */
export const Endpoints: BuiltInKind<V1Endpoints> = namespaced("v1", "Endpoints", "endpoints");
/** An object of kind Endpoints, as the server returns it. */
export interface Endpoints extends ObjectOf<typeof Endpoints> {}

/** The built-in kind IPAddress, of networking.k8s.io/v1. Kubernetes 1.33 and later serve it. */
export const IPAddress: BuiltInKind<V1IPAddress> = clusterScoped("networking.k8s.io/v1", "IPAddress", "ipaddresses");
/** An object of kind IPAddress, as the server returns it. */
export interface IPAddress extends ObjectOf<typeof IPAddress> {}

/** The built-in kind ServiceCIDR, of networking.k8s.io/v1. Kubernetes 1.33 and later serve it. */
export const ServiceCIDR: BuiltInKind<V1ServiceCIDR> = clusterScoped("networking.k8s.io/v1", "ServiceCIDR", "servicecidrs");
/** An object of kind ServiceCIDR, as the server returns it. */
export interface ServiceCIDR extends ObjectOf<typeof ServiceCIDR> {}
