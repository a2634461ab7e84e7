/** Where pods run. */
import type {
  V1Affinity,
  V1HostAlias,
  V1NodeAffinity,
  V1NodeSelector,
  V1PodAffinity,
  V1PodAntiAffinity,
  V1PodDNSConfig,
  V1Toleration,
  V1TopologySpreadConstraint,
} from "@kubernetes/client-node";
import {
  Affinity as AffinityDefinition,
  HostAlias as HostAliasDefinition,
  NodeAffinity as NodeAffinityDefinition,
  NodeSelector as NodeSelectorDefinition,
  PodAffinity as PodAffinityDefinition,
  PodAntiAffinity as PodAntiAffinityDefinition,
  PodDNSConfig as PodDNSConfigDefinition,
  Toleration as TolerationDefinition,
  TopologySpreadConstraint as TopologySpreadConstraintDefinition,
} from "./definitions.ts";
import { objectSchema, type SchemaOptions } from "./to-zod.ts";
import type { BuiltInSchema } from "./types.ts";

/** Returns the schema of a toleration of a taint. */
export function toleration(options?: SchemaOptions): BuiltInSchema<V1Toleration> {
  return objectSchema(TolerationDefinition, options) as BuiltInSchema<V1Toleration>;
}

/** Returns the schema of the affinity of a pod. */
export function affinity(options?: SchemaOptions): BuiltInSchema<V1Affinity> {
  return objectSchema(AffinityDefinition, options) as BuiltInSchema<V1Affinity>;
}

/** Returns the schema of the nodes that a pod prefers or requires. */
export function nodeAffinity(options?: SchemaOptions): BuiltInSchema<V1NodeAffinity> {
  return objectSchema(NodeAffinityDefinition, options) as BuiltInSchema<V1NodeAffinity>;
}

/** Returns the schema of the pods near which a pod runs. */
export function podAffinity(options?: SchemaOptions): BuiltInSchema<V1PodAffinity> {
  return objectSchema(PodAffinityDefinition, options) as BuiltInSchema<V1PodAffinity>;
}

/** Returns the schema of the pods away from which a pod runs. */
export function podAntiAffinity(options?: SchemaOptions): BuiltInSchema<V1PodAntiAffinity> {
  return objectSchema(PodAntiAffinityDefinition, options) as BuiltInSchema<V1PodAntiAffinity>;
}

/** Returns the schema of a selector of nodes by terms. */
export function nodeSelector(options?: SchemaOptions): BuiltInSchema<V1NodeSelector> {
  return objectSchema(NodeSelectorDefinition, options) as BuiltInSchema<V1NodeSelector>;
}

/** Returns the schema of how pods spread over zones or nodes. */
export function topologySpreadConstraint(options?: SchemaOptions): BuiltInSchema<V1TopologySpreadConstraint> {
  return objectSchema(TopologySpreadConstraintDefinition, options) as BuiltInSchema<V1TopologySpreadConstraint>;
}

/** Returns the schema of an entry of the hosts file of a pod. */
export function hostAlias(options?: SchemaOptions): BuiltInSchema<V1HostAlias> {
  return objectSchema(HostAliasDefinition, options) as BuiltInSchema<V1HostAlias>;
}

/** Returns the schema of the DNS settings of a pod. */
export function podDNSConfig(options?: SchemaOptions): BuiltInSchema<V1PodDNSConfig> {
  return objectSchema(PodDNSConfigDefinition, options) as BuiltInSchema<V1PodDNSConfig>;
}
