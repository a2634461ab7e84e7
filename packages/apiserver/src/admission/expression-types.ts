/** Types of the variables `request` and `namespaceObject` of admission expressions (k8s.io/apiserver `admission/plugin/cel`). */
import { BOOL, DYN, INT, plain, STRING, type Type } from "../cel/types.ts";

type Fields = Readonly<Record<string, Type>>;

function objectType(name: string, fields: Fields): Type {
  return { type: "object", name: `kubernetes.${name}`, fields: new Map(Object.entries(fields)) };
}

const TEXTS: Type = { type: "list", item: STRING };
const TEXT_MAP: Type = { type: "map", key: STRING, value: STRING };
const TIME: Type = plain("timestamp");

const GROUP_VERSION_KIND = objectType("GroupVersionKind", { group: STRING, version: STRING, kind: STRING });
const GROUP_VERSION_RESOURCE = objectType("GroupVersionResource", { group: STRING, version: STRING, resource: STRING });
const USER_INFO = objectType("UserInfo", {
  username: STRING,
  uid: STRING,
  groups: TEXTS,
  extra: { type: "map", key: STRING, value: TEXTS },
});

export const REQUEST: Type = objectType("AdmissionRequest", {
  kind: GROUP_VERSION_KIND,
  resource: GROUP_VERSION_RESOURCE,
  subResource: STRING,
  requestKind: GROUP_VERSION_KIND,
  requestResource: GROUP_VERSION_RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  // CEL reserves this name; an expression may write it plainly.
  __namespace__: STRING,
  operation: STRING,
  userInfo: USER_INFO,
  dryRun: BOOL,
  options: DYN,
});

const CONDITION = objectType("NamespaceCondition", {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIME,
  message: STRING,
  reason: STRING,
});

export const NAMESPACE: Type = objectType("Namespace", {
  metadata: objectType("NamespaceMetadata", {
    name: STRING,
    generateName: STRING,
    __namespace__: STRING,
    labels: TEXT_MAP,
    annotations: TEXT_MAP,
    UID: STRING,
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIME,
    generation: INT,
    resourceVersion: STRING,
    finalizers: TEXTS,
  }),
  spec: objectType("NamespaceSpec", { finalizers: TEXTS }),
  status: objectType("NamespaceStatus", { conditions: { type: "list", item: CONDITION }, phase: STRING }),
});
