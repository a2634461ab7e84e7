/** The rights for the certificates: on one Secret, and on the configurations and CRDs by name. */
import type { RbacManifest } from "@treadle/controller";
import { boundRole } from "@treadle/controller/unstable/rbac";
import { kindOf, type Target } from "../certificates/target.ts";
import type { SettledPlacement } from "../placement.ts";

/**
 * Returns the roles of an operator that makes its own certificates, with their bindings. A watch of one name needs no more than the name;
 * a patch of `caBundle` changes only what exists, so nothing may be created.
 */
export function certificateRights(
  { name, namespace, secretName, createSecret }: SettledPlacement,
  targets: readonly Target[],
  given: { readonly serviceAccount: string; readonly labels: Readonly<Record<string, string>> },
): readonly RbacManifest[] {
  const { labels, serviceAccount } = given;
  const subjects = [{ kind: "ServiceAccount", name: serviceAccount, namespace }] as const;
  const configurations = targets.flatMap((target) => (target.type === "crd" ? [] : [kindOf(target).plural]));
  const definitions = targets.flatMap((target) => (target.type === "crd" ? [target.name] : []));
  const read = ["get", "list", "watch"] as const;
  const onSecret = { apiGroups: [""], resources: ["secrets"] };
  return [
    ...boundRole({
      metadata: { name: `${name}-webhook-certificate`, namespace, labels },
      rules: [
        { ...onSecret, verbs: [...read, "update"], resourceNames: [secretName] },
        ...(createSecret ? [{ ...onSecret, verbs: ["create"] as const }] : []),
        // A broken Secret is made again, and an event of the Secret says so.
        { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
      ],
      subjects,
    }),
    ...boundRole({
      metadata: { name: `${name}-webhooks`, labels },
      rules: [
        ...rule("admissionregistration.k8s.io", configurations, [name]),
        ...rule("apiextensions.k8s.io", ["customresourcedefinitions"], definitions),
      ],
      subjects,
    }),
  ];

  function rule(group: string, resources: readonly string[], names: readonly string[]): NonNullable<RbacManifest["rules"]> {
    if (resources.length === 0 || names.length === 0) return [];
    return [{ apiGroups: [group], resources, verbs: [...read, "patch"], resourceNames: names.toSorted() }];
  }
}
