/** What of a loaded program decides its manifests. Pure. */
import { dns1035LabelProblems, isDns1123Label } from "@treadle/apimachinery";
import type { InspectedManager } from "@treadle/controller";
import type { LoadedProgram } from "@treadle/controller/unstable/program";
import { type RightsHolder, rightsHolderOf } from "@treadle/controller/unstable/rbac";
import { type WebhookDeployment, webhookDeploymentOf } from "@treadle/webhooks/unstable/deployment";
import { CliError } from "../cli-error.ts";

/** Options that only the deployer knows. */
export interface OperatorOptions {
  /** The name of the objects. */
  readonly name: string;
  /** The module of the program, as a user named it. */
  readonly module: string;
  /** The container image. */
  readonly image: string;
  /** The namespace of the operator. @defaultValue that of its webhook server, else `<name>-system` */
  readonly namespace?: string | undefined;
  /** The namespaces that it watches. @defaultValue those of its manager */
  readonly namespaces?: readonly string[] | undefined;
  /** Whether it watches its own namespace only. @defaultValue false */
  readonly isNamespaced?: boolean;
  /** The number of pods. @defaultValue 2 with leader election, else 1 */
  readonly replicas?: number | undefined;
}

/** An operator as its manifests need it. */
export interface Operator {
  readonly name: string;
  readonly module: string;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The namespaces that it watches; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Whether these are its own namespace, whatever that is. */
  readonly isNamespaced: boolean;
  readonly rights: RightsHolder;
  /** Whether one replica works and the others wait. */
  readonly isElected: boolean;
  /** The time for a stop, in seconds. */
  readonly graceSeconds: number;
  /** The port of the probes; undefined: none that a kubelet can reach. */
  readonly probesPort: number | undefined;
  readonly metrics: OperatorMetrics | undefined;
  readonly webhooks: WebhookDeployment | undefined;
}

/** The metrics of an operator, as Prometheus reads them. */
export interface OperatorMetrics {
  readonly port: number;
  /** Whether they are served by HTTPS. */
  readonly isSecure: boolean;
  /** Whether readers need a token. */
  readonly isAuthorized: boolean;
  /** Whether each condition of each object has a series. */
  readonly hasConditions: boolean;
}

/** A pod has this much longer than its manager, so that the manager ends by itself. */
const GRACE_MARGIN_SECONDS = 5;

/** Returns an operator. @throws CliError for names and combinations that cannot work */
export function operatorOf(program: LoadedProgram, options: OperatorOptions): Operator {
  const { name, module, image } = options;
  const rights = rightsOfProgram(program, module);
  const servers = program.runnables.flatMap((runnable) => webhookDeploymentOf(runnable) ?? []);
  const [webhooks] = servers;
  if (servers.length > 1) throw new CliError(`${module} has ${servers.length} servers of webhooks: give one webhookServer all webhooks`);
  const namespace = namespaceOf(webhooks, options);
  if (dns1035LabelProblems(`${name}${LONGEST_SUFFIX}`).length > 0) throw new CliError(notAnOperatorName(name));
  if (!isDns1123Label(namespace)) throw new CliError(notAName("namespace", namespace));
  if (!IMAGE.test(image)) throw new CliError(`image ${JSON.stringify(image)} is not an image, such as registry.example.com/shop:1.2.3`);
  const namespaces = options.isNamespaced === true ? [namespace] : (options.namespaces ?? rights.namespaces);
  for (const each of namespaces ?? []) if (!isDns1123Label(each)) throw new CliError(notAName("namespaces", each));
  const [manager] = program.managers;
  const isElected = rights.leases !== undefined;
  return {
    name,
    module,
    namespace,
    image,
    replicas: options.replicas ?? (isElected ? 2 : 1),
    labels: { "app.kubernetes.io/name": name },
    namespaces,
    isNamespaced: options.isNamespaced === true,
    rights,
    isElected,
    graceSeconds: Math.ceil((manager?.gracefulShutdownMs ?? 30_000) / 1000) + GRACE_MARGIN_SECONDS,
    probesPort: manager?.probes === false ? undefined : portOf(manager?.probes?.host ?? manager?.host, manager?.probes?.port ?? 8081),
    metrics: metricsOf(manager),
    webhooks,
  };
}

/** The errors of a program that no option of the command can change. */
function rightsOfProgram(program: LoadedProgram, module: string): RightsHolder {
  try {
    return rightsHolderOf(program, module);
  } catch (error) {
    throw new CliError(`cannot generate from ${module}: ${(error as Error).message}`, { cause: error });
  }
}

/** The certificate of a webhook server is for its Service, so the program decides. */
function namespaceOf(webhooks: WebhookDeployment | undefined, { name, namespace }: OperatorOptions): string {
  const fixed = webhooks?.service?.namespace;
  if (fixed !== undefined && namespace !== undefined && namespace !== fixed)
    throw new CliError(
      `--namespace is ${JSON.stringify(namespace)}, but webhookServer has service.namespace ${JSON.stringify(fixed)}, for which its certificates ` +
        `are valid: leave --namespace out, or change the program`,
    );
  return namespace ?? fixed ?? `${name}-system`;
}

function metricsOf(manager: InspectedManager | undefined): OperatorMetrics | undefined {
  const metrics = manager?.metrics ?? {};
  if (metrics === false) return undefined;
  const { host = manager?.host, port = 8080, tls, authorize = false, conditions } = metrics;
  const reachable = portOf(host, port);
  if (reachable === undefined) return undefined;
  return { port: reachable, isSecure: tls !== undefined, isAuthorized: authorize, hasConditions: conditions === "each" };
}

/** Loopback is not reached from outside of the pod, and port 0 is another one at each start. */
function portOf(host: string | undefined, port: number): number | undefined {
  const isLoopback = host !== undefined && (host === "localhost" || host === "::1" || host.startsWith("127."));
  return isLoopback || port === 0 ? undefined : port;
}

/** The Service of the metrics has the longest name. */
const LONGEST_SUFFIX = "-metrics";

/** A reference without spaces and quotes; the registry checks the rest. */
const IMAGE = /^[a-zA-Z0-9][\w.:/@+-]*$/;

function notAnOperatorName(name: string): string {
  const longest = 63 - LONGEST_SUFFIX.length;
  return (
    `name ${JSON.stringify(name)} cannot be the name of the objects: give another one with --name, of at most ${longest} lower case letters, ` +
    `digits and dashes, with a letter first`
  );
}

function notAName(what: string, value: string): string {
  return `${what} ${JSON.stringify(value)} is not a name: use at most 63 lower case letters, digits and dashes`;
}
