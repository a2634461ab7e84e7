/** The ServiceAccount and its rights. Pure. */
import { rbacManifests, rightsOf } from "@treadle/controller";
import { rbacComments } from "@treadle/controller/unstable/rbac";
import type { Operator } from "../operator.ts";
import type { Commented, Manifest } from "../manifest.ts";

/** The manifests of rights, with the reasons of authors as comments of the rules. */
export function rightsManifests({ name, namespace, labels, namespaces, rights }: Operator): readonly Commented[] {
  const { handlers, runnables, events, reviews, leases } = rights;
  const manifests = rbacManifests(handlers, {
    name,
    namespace,
    labels,
    runnables,
    events,
    reviews,
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(leases === undefined ? {} : { leases }),
  });
  const given = rightsOf(handlers, { runnables, events });
  return manifests.map((manifest) => ({
    manifest: manifest as unknown as Manifest, // a manifest of rights has more exact types
    ruleComments: (manifest.rules ?? []).map((rule) => rbacComments(rule, given)),
  }));
}
