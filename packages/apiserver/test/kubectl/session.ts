/** Commands of a kubectl session, the same for each server. */

const GROUP = "kubectl.treadle.dev";
export const NAMESPACE = "kubectl-session";
/** The CRD that the session creates. */
export const DEFINITION: string = `gizmos.${GROUP}`;

export interface Command {
  readonly args: string;
  readonly stdin?: string;
  /** A command that runs while this one waits, as soon as its output (with -v=6) contains this text. */
  readonly meanwhile?: { readonly when: string | RegExp; readonly args: string };
  /** Ends a command that does not end itself, as soon as its output contains this text. */
  readonly until?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
  /** Selects the lines that are compared. */
  readonly lines?: RegExp;
}

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.${GROUP}}
spec:
  group: ${GROUP}
  scope: Namespaced
  names: {kind: Gizmo, plural: gizmos, singular: gizmo, shortNames: [gz], categories: [gadgets]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Note, type: string, jsonPath: .spec.note, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A gizmo is there to be shown.
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 0, description: how big}
              note: {type: string}
          status:
            type: object
            properties:
              size: {type: integer}
              conditions:
                type: array
                items:
                  type: object
                  properties: {type: {type: string}, status: {type: string}, reason: {type: string}}
`;

const gizmo = (name: string, size: number | string, more: string = ""): string =>
  `{apiVersion: ${GROUP}/v1, kind: Gizmo, metadata: {name: ${name}, labels: {app: shop}${more}}, spec: {size: ${size}}}\n`;

const CORE = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: shop}}
data: {a: "1", b: "2"}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hidden}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: example.com/web:1}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80}]}
`;

const EVENT = `
apiVersion: v1
kind: Event
metadata: {name: it-happened}
involvedObject: {apiVersion: ${GROUP}/v1, kind: Gizmo, name: a, namespace: ${NAMESPACE}}
reason: Happened
message: it happened
type: Normal
count: 1
firstTimestamp: 2001-02-03T04:05:06Z
lastTimestamp: 2001-02-03T04:05:06Z
`;

const READY = JSON.stringify({ status: { size: 3, conditions: [{ type: "Ready", status: "True", reason: "Fine" }] } });

/** All commands except the first three run in the namespace. */
export const COMMANDS: readonly Command[] = [
  { args: "create -f -", stdin: `{apiVersion: v1, kind: Namespace, metadata: {name: ${NAMESPACE}}}` },
  { args: "create -f -", stdin: CRD },
  { args: `wait --for=condition=Established crd/gizmos.${GROUP} --timeout=30s` },
  { args: `api-resources --api-group=${GROUP}` },
  { args: "api-resources --api-group=apps" },
  { args: "api-versions", lines: new RegExp(`^(v1|apps/v1|batch/v1|${GROUP}/v1)$`) },
  { args: "get gizmos" },
  { args: "create -f -", stdin: gizmo("a", 1) },
  { args: "create -f -", stdin: gizmo("a", 1) },
  { args: "create -f -", stdin: gizmo("wrong", -1) },
  { args: "create -f -", stdin: gizmo("wrong", "many") },
  { args: "create -f -", stdin: `{apiVersion: ${GROUP}/v1, kind: Gizmo, metadata: {name: wrong}, spec: {size: 1, colour: red}}` },
  { args: "create -f - --dry-run=server", stdin: gizmo("dry", 1) },
  { args: "create -f - -o name", stdin: gizmo("b", 2, ", finalizers: [example.com/hold]") },
  { args: "get gizmos" },
  { args: "get gz -o wide" },
  { args: "get gizmo a" },
  { args: "get gizmo/a gizmo/b -o name" },
  { args: "get gizmo a -o yaml" },
  { args: "get gizmo a -o json" },
  { args: "get gizmos -o jsonpath={.items[*].spec.size}" },
  { args: "get gizmos -o custom-columns=NAME:.metadata.name,SIZE:.spec.size" },
  { args: "get gizmos --show-labels" },
  { args: "get gizmos --sort-by=.spec.size --no-headers" },
  { args: "get gizmos -l app=shop" },
  { args: "get gizmos -l app=other" },
  { args: "get gizmos -A -l app=shop" },
  { args: "get gadgets" },
  { args: "get gizmo none" },
  { args: "get nonsense" },
  { args: "apply --server-side -f -", stdin: gizmo("c", 5) },
  { args: "apply --server-side -f -", stdin: gizmo("c", 6) },
  { args: "apply --server-side --field-manager=other -f -", stdin: gizmo("c", 7) },
  { args: "apply --server-side --field-manager=other --force-conflicts -f -", stdin: gizmo("c", 7) },
  { args: "get gizmo c -o yaml --show-managed-fields" },
  { args: `patch gizmo a --type=merge -p {"spec":{"size":4,"note":"hello"}}` },
  { args: `patch gizmo a --type=merge -p {"spec":{"size":4,"note":"hello"}}` },
  { args: `patch gizmo a --type=json -p [{"op":"replace","path":"/spec/size","value":8}]` },
  { args: `patch gizmo a --type=merge -p {"spec":{"size":"many"}}` },
  { args: "label gizmo a colour=red" },
  { args: "label gizmo a colour=blue" },
  { args: "label gizmo a colour=blue --overwrite" },
  { args: "label gizmo a colour-" },
  { args: "annotate gizmo a note=x" },
  { args: "scale gizmo a --replicas=3" },
  { args: "get gizmo a --subresource=scale" },
  { args: "get gizmo a -o wide" },
  {
    args: "wait --for=condition=Ready gizmo/a --timeout=30s",
    meanwhile: { when: "watch=true", args: `patch gizmo a --subresource=status --type=merge -p ${READY}` },
  },
  { args: "wait --for=jsonpath={.status.size}=3 gizmo/a --timeout=30s" },
  { args: "wait --for=condition=Never gizmo/a --timeout=1s" },
  { args: "get gizmos -w", until: /^a +9 /m, meanwhile: { when: /^c +7/m, args: `patch gizmo a --type=merge -p {"spec":{"size":9}}` } },
  { args: "explain gizmo.spec.size" },
  { args: "explain gizmo.spec --output=plaintext-openapiv2" },
  { args: "create -f -", stdin: CORE },
  { args: "get cm/settings secret/password deploy/web svc/web" },
  { args: "get deploy web -o wide" },
  { args: "get cm settings -o yaml" },
  { args: "apply --server-side --field-manager=kubectl --force-conflicts -f -", stdin: CORE },
  { args: `patch deploy web --type=merge -p {"spec":{"paused":true}}` },
  { args: "label cm settings more=labels" },
  { args: "annotate svc web note=x" },
  { args: "create -f -", stdin: EVENT },
  { args: "get events --field-selector=reason=Happened" },
  { args: "describe gizmo c", lines: /^(Name|Namespace|Labels|Kind|Spec|Events| +Size)\b/ },
  { args: "delete gizmo a --wait" },
  { args: "delete gizmo b --wait=false" },
  {
    args: "wait --for=delete gizmo/b --timeout=30s",
    meanwhile: { when: "watch=true", args: `patch gizmo b --type=merge -p {"metadata":{"finalizers":null}}` },
  },
  { args: "delete gizmos -l app=shop" },
  { args: "get gizmos" },
  { args: "delete -f -", stdin: CORE },
  { args: "delete cm settings" },
  { args: "delete cm settings --ignore-not-found" },
  { args: `delete ns ${NAMESPACE} --wait` },
  { args: `delete crd gizmos.${GROUP} --wait` },
];
