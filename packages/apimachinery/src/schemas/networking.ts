/** Services, Ingresses and network policies, and the rules of RBAC. */
import type {
  RbacV1Subject,
  V1IngressRule,
  V1IngressSpec,
  V1IngressTLS,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1NetworkPolicySpec,
  V1PolicyRule,
  V1RoleRef,
  V1ServicePort,
  V1ServiceSpec,
} from "@kubernetes/client-node";
import {
  IngressRule as IngressRuleDefinition,
  IngressSpec as IngressSpecDefinition,
  IngressTLS as IngressTLSDefinition,
  NetworkPolicyPeer as NetworkPolicyPeerDefinition,
  NetworkPolicyPort as NetworkPolicyPortDefinition,
  NetworkPolicySpec as NetworkPolicySpecDefinition,
  PolicyRule as PolicyRuleDefinition,
  RoleRef as RoleRefDefinition,
  ServicePort as ServicePortDefinition,
  ServiceSpec as ServiceSpecDefinition,
  Subject as SubjectDefinition,
} from "./definitions.ts";
import { objectSchema, type SchemaOptions } from "./to-zod.ts";
import type { BuiltInSchema } from "./types.ts";

/** Returns the schema of a port of a Service. */
export function servicePort(options?: SchemaOptions): BuiltInSchema<V1ServicePort, "protocol"> {
  return objectSchema(ServicePortDefinition, options) as BuiltInSchema<V1ServicePort, "protocol">;
}

/** Returns the schema of the spec of a Service. */
export function serviceSpec(options?: SchemaOptions): BuiltInSchema<V1ServiceSpec> {
  return objectSchema(ServiceSpecDefinition, options) as BuiltInSchema<V1ServiceSpec>;
}

/** Returns the schema of the spec of an Ingress. */
export function ingressSpec(options?: SchemaOptions): BuiltInSchema<V1IngressSpec> {
  return objectSchema(IngressSpecDefinition, options) as BuiltInSchema<V1IngressSpec>;
}

/** Returns the schema of a rule of an Ingress. */
export function ingressRule(options?: SchemaOptions): BuiltInSchema<V1IngressRule> {
  return objectSchema(IngressRuleDefinition, options) as BuiltInSchema<V1IngressRule>;
}

/** Returns the schema of the TLS settings of an Ingress. */
export function ingressTLS(options?: SchemaOptions): BuiltInSchema<V1IngressTLS> {
  return objectSchema(IngressTLSDefinition, options) as BuiltInSchema<V1IngressTLS>;
}

/** Returns the schema of the spec of a NetworkPolicy. */
export function networkPolicySpec(options?: SchemaOptions): BuiltInSchema<V1NetworkPolicySpec> {
  return objectSchema(NetworkPolicySpecDefinition, options) as BuiltInSchema<V1NetworkPolicySpec>;
}

/** Returns the schema of a peer of a NetworkPolicy. */
export function networkPolicyPeer(options?: SchemaOptions): BuiltInSchema<V1NetworkPolicyPeer> {
  return objectSchema(NetworkPolicyPeerDefinition, options) as BuiltInSchema<V1NetworkPolicyPeer>;
}

/** Returns the schema of a port of a NetworkPolicy. */
export function networkPolicyPort(options?: SchemaOptions): BuiltInSchema<V1NetworkPolicyPort> {
  return objectSchema(NetworkPolicyPortDefinition, options) as BuiltInSchema<V1NetworkPolicyPort>;
}

/** Returns the schema of a rule of a Role or ClusterRole. */
export function policyRule(options?: SchemaOptions): BuiltInSchema<V1PolicyRule> {
  return objectSchema(PolicyRuleDefinition, options) as BuiltInSchema<V1PolicyRule>;
}

/** Returns the schema of the role of a binding. */
export function roleRef(options?: SchemaOptions): BuiltInSchema<V1RoleRef> {
  return objectSchema(RoleRefDefinition, options) as BuiltInSchema<V1RoleRef>;
}

/** Returns the schema of a subject of a binding. */
export function subject(options?: SchemaOptions): BuiltInSchema<RbacV1Subject> {
  return objectSchema(SubjectDefinition, options) as BuiltInSchema<RbacV1Subject>;
}
