/** `webhookServer()`: the HTTPS server in which the API server calls the webhooks of an operator. */
import { hostname } from "node:os";
import { DefinitionError, type DefinitionProblem } from "@treadle/apimachinery";
import {
  type HttpService,
  httpService,
  type HttpServiceOptions,
  type Runnable,
  type RunnableEnv,
  type TlsFiles,
} from "@treadle/controller";
import { managerHost } from "@treadle/controller/unstable/host";
import { certificateMetricsIn } from "@treadle/controller/unstable/runnable";
import type { Read } from "@treadle/reconcile";
import type { CallEnv } from "../call.ts";
import { OwnCertificates } from "../certificates/own-certificates.ts";
import { certificatesIn } from "../certificates/pem.ts";
import { targetsOf } from "../certificates/target.ts";
import type { AnyWebhooks } from "../definition.ts";
import { listProblems } from "../list-problems.ts";
import { DEPLOYMENT, type WebhookDeployment } from "../manifests/deployment.ts";
import { type WebhookManifest, webhookManifests } from "../manifests/manifests.ts";
import { pathsOf } from "../paths.ts";
import { type SettledPlacement, settlePlacement, type WebhookPlacement } from "../placement.ts";
import { conversionTurns } from "../conversion/review.ts";
import { settledOf, type Webhooks } from "../webhooks.ts";
import { certificateEvents } from "./certificate-events.ts";
import { hostedOptions } from "./hosted-options.ts";
import { endpointsOf, type EndpointsOptions } from "./endpoints.ts";
import { Installation } from "./install.ts";
import { webhookListener } from "./listener.ts";
import { reviewReads } from "./review-reads.ts";
import { NO_METRICS, type WebhookMetrics, webhookMetrics } from "./webhook-metrics.ts";

/** These are the options of {@link webhookServer}. */
export interface WebhookServerOptions extends WebhookPlacement, Pick<HttpServiceOptions, "host" | "graceMs" | "clientCa"> {
  /** The port. @defaultValue 9443 */
  readonly port?: number;
  /**
   * Files of a certificate that another program keeps, such as cert-manager. They are read again every ten seconds. That program also
   * writes the CA into the configurations. @defaultValue the operator makes its own certificates
   */
  readonly tls?: TlsFiles;
  /** Maximum size of one conversion review, in bytes. It may contain the whole list that a client asked for. @defaultValue 256 MiB */
  readonly maxConversionBytes?: number;
  /**
   * Maximum size of all reviews in progress together, in bytes. A review above it gets 503. Parsed objects take three to five times the
   * memory of their text. @defaultValue `maxConversionBytes` and 64 MiB: the largest conversion does not keep eight of the largest
   * admission reviews, or thousands of small ones, from an answer
   */
  readonly maxBytes?: number;
  /**
   * Whether the server applies the manifests at its start, and removes at its end what it made: the webhook configurations, the conversion
   * of the CRDs and the Secret. It refuses to start when a configuration of that name is of another writer. Needs `url`: it is for
   * development outside of the cluster. @defaultValue false
   */
  readonly install?: boolean;
}

/** The server, as {@link webhookServer} returns it. */
export interface WebhookServer extends Runnable {
  /** The address on which it listens; undefined while it does not. */
  readonly address: HttpService["address"];
}

/**
 * Makes a server for webhooks: `manager.add(webhookServer([website], { service: { name: "website-operator", namespace: "ops" } }))`.
 * It runs in every replica, from before the first list of the caches until after their end, because they may wait for a conversion.
 * `/readyz` reports it as `webhooks`.
 *
 * Guarantees: whatever a request or an author's function does, the process and the other requests go on. A stop answers the reviews in
 * progress.
 *
 * Caveats: any client that reaches the port can send a review in any user's name. `clientCa` refuses connections of others than the API server.
 *
 * @throws DefinitionError with all problems of the webhooks and the options
 */
export function webhookServer(webhooks: readonly Webhooks[], options: WebhookServerOptions): WebhookServer {
  const placement = settlePlacement(options, WHERE);
  const problems = [...listProblems(webhooks), ...optionProblems(options)];
  if (problems.length > 0) throw new DefinitionError(WHERE, problems);
  const host = managerHost();
  if (host === undefined) return new Server(webhooks, { placement, options, isReachable: true, isHosted: false });
  const hosted = hostedOptions(options, placement, host.endpoint());
  return hosted === undefined
    ? new Server(webhooks, { placement, options, isReachable: false, isHosted: true })
    : new Server(webhooks, { placement: settlePlacement(hosted, WHERE), options: hosted, isReachable: true, isHosted: true });
}

const WHERE = "the server of webhooks";
const MIB = 2 ** 20;

interface Setup {
  readonly placement: SettledPlacement;
  readonly options: WebhookServerOptions;
  /** Whether the API server can reach this machine. */
  readonly isReachable: boolean;
  /** Whether the next process of the program uses the same Secret, so that it must stay. */
  readonly isHosted: boolean;
}

class Server implements WebhookServer {
  readonly name = "webhooks";
  readonly needsCaches = false;
  readonly needsLeader = false;
  readonly permissions: NonNullable<Runnable["permissions"]>;
  readonly reads: NonNullable<Runnable["reads"]>;
  readonly [DEPLOYMENT]: WebhookDeployment;
  readonly #webhooks: readonly AnyWebhooks[];
  /** What is applied at the start. */
  readonly #manifests: readonly WebhookManifest[] | undefined;
  readonly #placement: SettledPlacement;
  readonly #options: WebhookServerOptions;
  readonly #isReachable: boolean;
  readonly #isHosted: boolean;
  #service: HttpService | undefined;
  #certificates: OwnCertificates | undefined;
  #installation: Installation | undefined;

  constructor(webhooks: readonly Webhooks[], { placement, options, isReachable, isHosted }: Setup) {
    this.#webhooks = webhooks.map(settledOf);
    this.#manifests = options.install === true ? webhookManifests(webhooks, options) : undefined;
    this.#placement = placement;
    this.#options = options;
    this.#isReachable = isReachable;
    this.#isHosted = isHosted;
    this.permissions = webhooks.flatMap(({ permissions }) => permissions);
    this[DEPLOYMENT] = {
      kinds: webhooks.map(({ kind }) => kind),
      service: placement.service,
      port: options.port ?? 9443,
      tls: options.tls,
      manifests: (given) => webhookManifests(webhooks, { ...options, ...given, targetPort: options.port ?? 9443 }),
    };
    this.reads = webhooks.flatMap(({ reads }) => Object.values(reads) as readonly Read<never, unknown>[]);
  }

  get address(): HttpService["address"] {
    return this.#service?.address;
  }

  async start(signal: AbortSignal, env: RunnableEnv): Promise<void> {
    const { port = 9443, host, graceMs, clientCa, tls } = this.#options;
    if (!this.#isReachable) {
      env.log.warn({}, "the webhooks are not served, because the API server cannot reach this machine");
      return;
    }
    if (env.isDryRun && tls === undefined) {
      env.log.warn({}, "dry run: the webhooks are not served, because the operator cannot write its certificates");
      return;
    }
    env.addReadyzCheck("webhooks", () => this.#problem());
    if (this.#manifests !== undefined) {
      this.#installation = new Installation(this.#manifests, this.#placement, env);
      await this.#installation.apply(signal);
    }
    const handler = webhookListener(await this.#listening(env));
    const certified = tls ?? (await this.#certified(signal, env));
    // A stop during the awaits before would not find the service.
    signal.throwIfAborted();
    this.#service = httpService({
      name: "webhooks",
      port,
      handler,
      tls: certified,
      needsCaches: false,
      ...(host === undefined ? {} : { host }),
      ...(graceMs === undefined ? {} : { graceMs }),
      ...(clientCa === undefined ? {} : { clientCa }),
    });
    await this.#service.start(signal, env);
  }

  async stop(): Promise<void> {
    const failures: unknown[] = [];
    const attempt = async (end: Promise<void> | void | undefined): Promise<void> =>
      await Promise.resolve(end).catch((error: unknown) => void failures.push(error));
    // Without a configuration no review comes, so the removal is first.
    await attempt(this.#installation?.remove());
    await attempt(this.#service?.stop?.());
    await attempt(this.#certificates?.stop());
    if (!this.#isHosted) await attempt(this.#installation?.removeSecret());
    if (failures.length > 0) throw failures[0];
  }

  /** Why reviews may fail. */
  #problem(): string | undefined {
    if (this.#service?.address !== undefined) return this.#certificates?.failure();
    // At the start: what it waits for.
    return this.#certificates?.problem() ?? "it does not listen";
  }

  async #certified(signal: AbortSignal, env: RunnableEnv): Promise<OwnCertificates> {
    const { client, clock, random, log } = env;
    const { name, namespace, secretName, createSecret, hosts } = this.#placement;
    const metrics = certificateMetricsIn(await env.metrics());
    this.#certificates = new OwnCertificates({
      client,
      clock,
      random,
      log,
      name,
      namespace,
      secretName,
      createSecret,
      dnsNames: hosts,
      podName: hostname(),
      targets: targetsOf(this.#webhooks, this.#placement),
      onNote: certificateEvents(this.#placement, env),
      onRead(isUsable) {
        metrics?.read();
        if (!isUsable) metrics?.failed();
      },
    });
    await this.#certificates.start(signal);
    return this.#certificates;
  }

  async #listening(env: RunnableEnv): Promise<Parameters<typeof webhookListener>[0]> {
    const { maxConversionBytes = 256 * MIB, maxBytes = maxConversionBytes + 64 * MIB } = this.#options;
    const { client, clock, log } = env;
    const metrics = await this.#metrics(env);
    const callEnv: EndpointsOptions["callEnv"] = (webhooks, signal, timeoutMs): CallEnv => ({
      client,
      clock,
      log,
      signal,
      read: reviewReads(webhooks, env),
      onIgnored: metrics.ignored,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    const turns = conversionTurns();
    const limits = { maxConversionBytes, maxBytes };
    return { endpoints: endpointsOf(this.#webhooks, { watcher: { env, metrics }, callEnv, turns, ...limits }), metrics, log, clock, turns };
  }

  async #metrics(env: RunnableEnv): Promise<WebhookMetrics> {
    const registry = await env.metrics();
    if (registry === undefined) return NO_METRICS;
    const kinds = this.#webhooks.filter(({ convert }) => Object.keys(convert).length > 0).map(({ kind }) => kind.kind);
    const paths = this.#webhooks.flatMap((each) => [...pathsOf(each).keys()]);
    return await webhookMetrics(registry, paths, kinds);
  }
}

function optionProblems({
  maxConversionBytes,
  maxBytes,
  install: isInstalled,
  url,
  tls,
  clientCa,
}: WebhookServerOptions): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const refuse = (path: string, reason: string, fix: string): void => void problems.push({ path, reason, fix });
  for (const [path, value] of Object.entries({ maxConversionBytes, maxBytes }))
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      refuse(path, `${value} is not a number of bytes`, "Use a whole number above 0");
  if (isInstalled === true && url === undefined)
    refuse("install", "it is for development with a url", "Leave it out, and apply webhookManifests(...) when you deploy the operator");
  if (isInstalled === true && tls !== undefined)
    refuse("install", "the CA of the files in tls is not known", "Leave tls out: the operator then makes its own certificates");
  if (clientCa !== undefined && certificatesIn(clientCa).length === 0)
    refuse(
      "clientCa",
      "it is not a certificate in PEM",
      "Give the text of a file: the authority of the certificate that the API server shows to webhooks",
    );
  return problems;
}
