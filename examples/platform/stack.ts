/** The objects of a platform, as one set. */
import { crdOf, dependentSet, object, one } from "treadle";
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Job,
  Namespace,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
} from "treadle/kinds";
import { Platform, systemOf } from "./platform.ts";
import { tenantObjects, tenantRights } from "./tenant.ts";
import { Widget } from "./widget.ts";

/** Waves: the namespace (-1), what is shared (0), migrations (1), servers (2). */
export const stack = dependentSet(Platform, {
  name: "stack",
  condition: "StackReady",
  kinds: [Namespace, CustomResourceDefinition, ConfigMap, ServiceAccount, Role, RoleBinding, Deployment, Service, Job, Widget],
  grants: [tenantRights],
  reads: { license: one(Secret, (platform) => platform.spec.license) },
  policies: (platform) => ({ onRemoval: platform.spec.retain ? "orphan-on-delete" : "delete" }),
  timeoutMs: (platform) => platform.spec.timeoutMs ?? 600_000,
  suspended: (platform) => platform.spec.suspended,
  placement: (platform) => ({ namespace: systemOf(platform) }),
  objects: (platform, { reads }) => [
    object(Namespace, { metadata: { name: systemOf(platform) } }, { apply: -1 }),
    object(ConfigMap, { metadata: { name: "shared" }, data: licensed(reads.license) }),
    ...(platform.spec.widgets ? widgets : []),
    ...platform.spec.tenants.flatMap((tenant) => tenantObjects(platform, tenant)),
  ],
});

/** The kind Widget, and a first Widget. The set applies it when the server serves the kind. */
const widgets = [
  object(CustomResourceDefinition, crdOf(Widget)),
  object(Widget, { metadata: { name: "welcome" }, spec: { title: "Welcome" } }),
];

/** The edition is no secret; the key beside it stays in the Secret. */
const licensed = (license: Secret | undefined) => ({ edition: atob(license?.data?.["edition"] ?? btoa("community")) });
