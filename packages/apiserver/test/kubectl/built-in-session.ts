/** Commands of a kubectl session with built-in kinds, the same for each server. */
import type { Command } from "./session.ts";

export const BUILT_IN_NAMESPACE = "kubectl-built-in";
/** Objects that the session creates outside of its namespace. */
export const OUTSIDE: readonly string[] = [
  "clusterrole/kubectl-reader",
  "clusterrolebinding/kubectl-readers",
  "priorityclass/kubectl-high",
  "ns/kubectl-made",
];

const APP = (replicas: number, more = "", env = ""): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, labels: {app: shop}${more}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - name: main
        image: example.com/shop:1
        ports: [{containerPort: 8080}]${env}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: shop}
data: {mode: fast}
`;
const FIRST = APP(1, ", annotations: {note: one}", '\n        env: [{name: A, value: "1"}, {name: B, value: "2"}]');
const SECOND = APP(2, "", '\n        env: [{name: B, value: "3"}]');

const STATUS = JSON.stringify({
  status: {
    observedGeneration: 99,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    conditions: [{ type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "fine" }],
  },
});

const POD = `
apiVersion: v1
kind: Pod
metadata: {name: lone, labels: {app: lone}}
spec: {containers: [{name: main, image: "example.com/lone:1"}], nodeName: nowhere}
`;

const EVENT = `
apiVersion: v1
kind: Event
metadata: {name: lone-1}
involvedObject: {apiVersion: v1, kind: Pod, name: lone, namespace: kubectl-built-in}
reason: Scheduled
message: somewhere
type: Normal
count: 2
firstTimestamp: 2001-02-03T04:05:06Z
lastTimestamp: 2001-02-03T04:05:06Z
source: {component: tester}
`;

const SET = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: "example.com/db:1"}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: "example.com/agent:1"}]}
`;

const created: readonly Command[] = [
  { args: `create namespace ${BUILT_IN_NAMESPACE}` },
  { args: "create ns kubectl-made" },
  { args: "create ns kubectl-made" },
  { args: "create ns Wrong_Name" },
  { args: "create configmap literal --from-literal=a=1 --from-literal=b='two words'" },
  { args: "create configmap file --from-file={files}/note.txt" },
  { args: "create cm bad --from-literal=a" },
  { args: "get cm literal -o yaml" },
  { args: "create secret generic plain --from-literal=password=hidden" },
  { args: "get secret plain -o jsonpath='{.data.password}'" },
  { args: "create secret tls pair --cert={home}/tls.crt --key={home}/tls.key" },
  { args: "create secret docker-registry registry --docker-server=example.com --docker-username=u --docker-password=p" },
  { args: "create deployment web --image=example.com/web:1 --replicas=2 --port=80" },
  { args: "create deployment web --image=example.com/web:1" },
  { args: "get deployment web -o yaml" },
  { args: "create job once --image=example.com/once:1 -- run it" },
  { args: "get job once -o jsonpath='{.spec.template.spec.containers[0].command}'" },
  { args: "create cronjob nightly --image=example.com/nightly:1 --schedule='0 3 * * *'" },
  { args: "create job from-nightly --from=cronjob/nightly" },
  { args: "create service clusterip inner --tcp=80:8080" },
  { args: "create service nodeport outer --tcp=81:8081" },
  { args: "create service loadbalancer balanced --tcp=82" },
  { args: "create service externalname elsewhere --external-name=example.com" },
  { args: "get service inner elsewhere -o custom-columns=NAME:.metadata.name,TYPE:.spec.type,PORTS:.spec.ports[*].targetPort" },
  { args: "create ingress door --rule=example.com/*=inner:80" },
  { args: "create role reader --verb=get,list --resource=pods,configmaps" },
  { args: "create rolebinding readers --role=reader --serviceaccount=default:default --user=me" },
  { args: "create clusterrole kubectl-reader --verb=get --resource=nodes" },
  { args: "create clusterrolebinding kubectl-readers --clusterrole=kubectl-reader --group=us" },
  { args: "create serviceaccount worker" },
  { args: "create quota limits --hard=pods=10,configmaps=100" },
  { args: "create poddisruptionbudget keep --selector=app=shop --min-available=1" },
  { args: "create priorityclass kubectl-high --value=1000 --description=much" },
  { args: "create deployment dry --image=example.com/dry:1 --dry-run=client -o yaml" },
  { args: "create configmap dry --from-literal=a=1 --dry-run=server -o yaml" },
  { args: "get configmap dry" },
  { args: "create -f -", stdin: SET },
  { args: "create -f -", stdin: EVENT },
  { args: "create -f -", stdin: POD },
  { args: "run single --image=example.com/single:1 --labels=app=single --port=80 --env=A=1" },
  { args: "run dry --image=example.com/dry:1 --dry-run=server" },
  { args: "expose deployment web --port=80 --target-port=8080 --cluster-ip=None" },
  { args: "expose pod single --name=single-svc --cluster-ip=None" },
  { args: "expose deployment absent --port=80" },
  { args: "autoscale deployment web --min=1 --max=5 --cpu=80%" },
];

const read: readonly Command[] = [
  { args: "get deployments,statefulsets,daemonsets,jobs,cronjobs" },
  { args: "get deployments -o wide" },
  { args: "get all -l app=web" },
  { args: "get pods -o wide" },
  { args: "get pod single -o jsonpath='{.spec.containers[0].env[0].name}={.spec.containers[0].env[0].value}'" },
  { args: "get pods --field-selector=spec.nodeName=nowhere" },
  { args: "get pods --field-selector=status.phase=Running" },
  { args: "get pods --field-selector=spec.colour=red" },
  { args: "get pods -l 'app in (lone,single),app!=single'" },
  { args: "get pods -L app --no-headers" },
  { args: "get cm --sort-by=.metadata.name --field-selector=metadata.name!=kube-root-ca.crt -o name" },
  { args: "get cm --field-selector=metadata.name!=kube-root-ca.crt -o go-template='{{range .items}}{{.metadata.name}} {{end}}'" },
  { args: "get secrets" },
  { args: "get ingress,role,rolebinding,quota,pdb" },
  { args: "get clusterrole/kubectl-reader clusterrolebinding/kubectl-readers priorityclass/kubectl-high" },
  { args: "get hpa,endpoints" },
  { args: "get events" },
  { args: "events" },
  { args: "events --for=pod/lone" },
  { args: "get pods -A -l app=lone" },
  { args: "get pods --chunk-size=1 -o name" },
  { args: "get pods -o json --ignore-not-found -l app=none" },
  { args: "get deployment web -o yaml --show-managed-fields" },
  { args: "get --raw /api/v1/namespaces/kubectl-built-in/configmaps/literal", lines: /nothing/ },
  { args: "describe deployment web" },
  { args: "describe pod lone" },
  { args: "describe service inner", lines: /^(Name|Namespace|Selector|Type|Port|TargetPort)/ },
  { args: "describe configmap literal" },
  { args: "describe secret plain" },
  { args: "describe job once" },
  { args: "describe cronjob nightly" },
  { args: "describe ingress door", lines: /^(Name|Namespace|Address|Rules|  )/ },
  { args: "describe role reader" },
  { args: "describe clusterrolebinding kubectl-readers" },
  { args: "describe statefulset db" },
  { args: "describe daemonset agent" },
  { args: "describe quota limits" },
  { args: "describe hpa web" },
  { args: "describe pdb keep" },
  { args: "describe sa worker" },
  { args: "describe ns kubectl-made" },
  { args: "describe priorityclass kubectl-high" },
];

const applied: readonly Command[] = [
  { args: "apply -f - --dry-run=client", stdin: FIRST },
  { args: "apply -f - --dry-run=server", stdin: FIRST },
  { args: "diff -f -", stdin: FIRST },
  { args: "apply -f -", stdin: FIRST },
  { args: "apply -f -", stdin: FIRST },
  { args: "diff -f -", stdin: FIRST },
  { args: "diff -f -", stdin: SECOND },
  { args: "apply -f -", stdin: SECOND },
  { args: "get deployment shop -o jsonpath='{.spec.template.spec.containers[0].env} {.metadata.annotations.note}'" },
  { args: "apply view-last-applied configmap shop" },
  { args: "apply edit-last-applied configmap shop", env: { KUBE_EDITOR: "sed -i s/fast/slow/" } },
  { args: "apply -f - --prune -l app=shop", stdin: APP(2) },
  { args: "apply -f -", stdin: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: bad}, spec: {replicas: many}}" },
  { args: "apply -f -", stdin: "{apiVersion: v1, kind: ConfigMap, metadata: {name: bad}, dota: {a: b}}" },
  { args: "apply -f - --validate=ignore", stdin: "{apiVersion: v1, kind: ConfigMap, metadata: {name: odd}, dota: {a: b}}" },
  { args: "apply --server-side -f -", stdin: SECOND },
  { args: "apply --server-side --field-manager=other -f -", stdin: APP(5) },
  { args: "apply --server-side --field-manager=other --force-conflicts -f -", stdin: APP(5) },
  { args: "diff --server-side --field-manager=other -f -", stdin: APP(6) },
  { args: "kustomize {files}/shop" },
  { args: "apply -k {files}/shop" },
  { args: "apply -k {files}/shop" },
  { args: "get -k {files}/shop" },
  { args: "diff -k {files}/base", lines: /^[-+] / },
  { args: "delete -k {files}/shop" },
];

const changed: readonly Command[] = [
  { args: `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"example.com/web:2"}]}}}}'` },
  { args: `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"example.com/side:1"}]}}}}'` },
  { args: `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}'` },
  { args: `patch deployment web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":3}]'` },
  { args: `patch deployment web --type=merge -p '{"spec":{"paused":true}}'` },
  { args: `patch deployment web -p '{"spec":{"replicas":"x"}}'` },
  { args: `patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":4}}'` },
  { args: `patch deployment web --subresource=status --type=merge -p '${STATUS}'` },
  { args: "get deployment web -o jsonpath='{.spec.template.spec.containers[*].image} {.spec.replicas} {.status.readyReplicas}'" },
  { args: "edit deployment web", env: { KUBE_EDITOR: "sed -i s/paused:.true/paused:\\ false/" } },
  { args: "edit configmap literal", env: { KUBE_EDITOR: "true" } },
  { args: "get deployment web --subresource=scale" },
  { args: "scale deployment web --replicas=2" },
  { args: "scale deployment web --current-replicas=7 --replicas=1" },
  { args: "scale statefulset/db --replicas=0" },
  { args: "set image deployment/web web=example.com/web:3" },
  { args: "set env deployment/web MODE=fast" },
  { args: "set env deployment/web --list" },
  { args: "set env deployment/web MODE-" },
  { args: "set resources deployment/web --limits=cpu=200m,memory=64Mi --requests=cpu=0.1" },
  { args: "set serviceaccount deployment web worker" },
  { args: "set selector service inner app=web" },
  { args: "set subject rolebinding readers --user=you" },
  { args: "get deployment web -o jsonpath='{.spec.template.spec.containers[0].resources} {.spec.template.spec.serviceAccountName}'" },
  { args: "rollout status deployment/web --timeout=10s" },
  { args: "rollout history deployment/web" },
  { args: "rollout pause deployment/web" },
  { args: "rollout pause deployment/web" },
  { args: "rollout resume deployment/web" },
  { args: "rollout undo deployment/web" },
  { args: "label deployment web tier=front" },
  { args: "label deployments --all tier=back" },
  { args: "label deployment web tier=back --overwrite" },
  { args: "label pod lone single checked=yes" },
  { args: "label deployment web tier-" },
  { args: "label deployment web tier=bad!value" },
  { args: "annotate deployment web note=hello" },
  { args: "annotate deployment web note-" },
  { args: "replace -f -", stdin: "{apiVersion: v1, kind: ConfigMap, metadata: {name: literal}, data: {a: replaced}}" },
  { args: "replace -f -", stdin: "{apiVersion: v1, kind: ConfigMap, metadata: {name: absent}, data: {a: replaced}}" },
  { args: "replace --force -f -", stdin: "{apiVersion: v1, kind: ConfigMap, metadata: {name: literal}, data: {a: forced}}" },
  { args: `patch service inner -p '{"spec":{"clusterIP":"10.96.0.77"}}'` },
  { args: `patch deployment web -p '{"spec":{"selector":{"matchLabels":{"app":"other"}}}}'` },
  { args: `patch secret plain -p '{"immutable":true}'` },
  { args: `patch secret plain -p '{"stringData":{"password":"other"}}'` },
  { args: `patch job once -p '{"spec":{"template":{"spec":{"restartPolicy":"OnFailure"}}}}'` },
  { args: "taint nodes absent a=b:NoSchedule" },
];

const rest: readonly Command[] = [
  { args: "wait --for=condition=Available deployment/web --timeout=10s" },
  { args: "wait --for=jsonpath='{.status.readyReplicas}'=2 deployment/web --timeout=10s" },
  { args: "wait --for=condition=Complete job/once --timeout=1s" },
  { args: "wait --for=create configmap/literal --timeout=5s" },
  {
    args: "get cm -w",
    until: /^watched/m,
    meanwhile: { when: /^literal/m, args: "create configmap watched --from-literal=a=1" },
    lines: /^(NAME|literal|watched)/,
  },
  { args: "auth can-i create pods" },
  { args: "auth can-i '*' '*'" },
  { args: "auth whoami", lines: /^ATTRIBUTE/ },
  { args: "api-resources --api-group=rbac.authorization.k8s.io" },
  { args: "api-resources --namespaced=false --api-group=storage.k8s.io", lines: /^(NAME|storageclasses)/ },
  { args: "api-versions", lines: /^(v1|apps\/v1|batch\/v1|autoscaling\/v2|policy\/v1|networking.k8s.io\/v1)$/ },
  { args: "explain deployment.spec.replicas" },
  { args: "explain deployment.spec.strategy" },
  { args: "explain pod.spec.restartPolicy" },
  { args: "explain pod.spec.containers" },
  { args: "explain service --recursive" },
  { args: "explain pod.nonsense" },
  { args: "explain deployment.spec.strategy --output=plaintext-openapiv2" },
  { args: "explain service --recursive --output=plaintext-openapiv2" },
  { args: "cluster-info", lines: /control plane/ },
  { args: "version -o json", lines: /gitVersion/ },
  { args: "config view -o jsonpath='{.kind}'" },
  { args: "config current-context", lines: /nothing/ },
  { args: "create token worker", lines: /nothing/ },
  { args: "delete pod single --wait" },
  { args: "delete pod lone --grace-period=0 --force" },
  { args: "delete deployment shop --cascade=orphan" },
  { args: "delete deployment web --cascade=foreground" },
  { args: "delete service -l app=web" },
  { args: "delete cm literal file --dry-run=server" },
  { args: "delete cm literal file" },
  { args: "delete jobs --all" },
  { args: "delete cm absent" },
  { args: "delete statefulset,daemonset --all" },
  { args: "delete clusterrole/kubectl-reader clusterrolebinding/kubectl-readers priorityclass/kubectl-high" },
  { args: `delete ns kubectl-made ${BUILT_IN_NAMESPACE}` },
];

export const BUILT_IN_COMMANDS: readonly Command[] = [...created, ...read, ...applied, ...changed, ...rest];
