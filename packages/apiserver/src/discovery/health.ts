/** `/healthz`, `/livez` and `/readyz` with the checks of a kube-apiserver. A server that can answer is healthy. */

const HOOKS = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
].map((hook) => `poststarthook/${hook}`);
const LAST = ["autoregister-completion", "poststarthook/apiservice-openapi-controller", "poststarthook/apiservice-openapiv3-controller"];
const ALIVE = ["ping", "log", "loopback-serving-certificate", "etcd", ...HOOKS, ...LAST];

const CHECKS: ReadonlyMap<string, readonly string[]> = new Map([
  ["healthz", ALIVE],
  ["livez", ALIVE],
  ["readyz", ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...HOOKS, ...LAST, "shutdown"]],
]);

/** Returns the paths of all checks. */
export function healthPaths(): readonly string[] {
  return [...CHECKS].flatMap(([endpoint, checks]) => [`/${endpoint}`, ...checks.map((check) => `/${endpoint}/${check}`)]);
}

/** Returns the text at a path, or `undefined` for another path. */
export function healthText(path: string, query: URLSearchParams): string | undefined {
  const [, endpoint = "", check] = /^\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  const checks = CHECKS.get(endpoint);
  if (checks === undefined) return undefined;
  if (check !== undefined) return checks.includes(check) ? "ok" : undefined;
  if (!query.has("verbose")) return "ok";
  const excluded = query.getAll("exclude").flatMap((names) => names.split(","));
  const lines = checks.map((name) => `[+]${name} ${excluded.includes(name) ? "excluded: ok" : "ok"}`);
  const strange = excluded.filter((name) => !checks.includes(name)).map((name) => JSON.stringify(name));
  const warning = strange.length === 0 ? [] : [`warn: some health checks cannot be excluded: no matches for ${strange.join(", ")}`];
  return [...lines, ...warning, `${endpoint} check passed`, ""].join("\n");
}
