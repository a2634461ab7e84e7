/** Calls the webhooks of a test in this process: the end of an API server's call, whether it came by a socket or not. */
import type { Clock, ConversionWebhook } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { recordingLogger } from "../internal/log-recorder.ts";
import type { LogLine } from "../test-environment.ts";
import { readValues } from "./read-values.ts";
import type { TestedCallEnv, TestedRegistration, TestedWebhooks } from "./tested-webhooks.ts";

/** What the host needs of the cluster. */
export interface HostEnv {
  readonly clock: Clock;
  /** A client of the administrator, for reads. */
  readonly reader: Client;
  /** Gets what the webhooks log, and the errors that they throw. */
  readonly logs: LogLine[];
}

/** The webhooks of kinds of others do not review it by default. The namespace of the operators is that of the test's objects. */
const EXCLUDED = ["kube-system"];

export class WebhookHost {
  /** The paths of probes that were called. */
  readonly probed: Set<string> = new Set();
  readonly #webhooks: readonly TestedWebhooks[];
  readonly #env: () => HostEnv;
  readonly #routes = new Map<string, TestedWebhooks>();
  #client: Client | undefined;
  #calls = 0;

  /** @param env called at each use: the cluster is not complete when the host is made */
  constructor(webhooks: readonly TestedWebhooks[], env: () => HostEnv) {
    this.#webhooks = webhooks;
    this.#env = env;
    this.registrations(() => ({ url: "https://unused" })); // Each path is asked for, so that it is known.
  }

  /** Number of calls without an answer: each holds a request. */
  get calls(): number {
    return this.#calls;
  }

  get clock(): Clock {
    return this.#env().clock;
  }

  /** Sets the client that webhooks get. @defaultValue the administrator's */
  actAs(client: Client): void {
    this.#client = client;
  }

  /** Returns the registrations, in the order of the webhooks. */
  registrations(clientConfig: (path: string) => ConversionWebhook): readonly TestedRegistration[] {
    return this.#webhooks.map((webhooks) =>
      webhooks.registration({
        clientConfig: (path) => {
          this.#routes.set(path, webhooks);
          return clientConfig(path);
        },
        excluded: EXCLUDED,
      }),
    );
  }

  /** Answers a review. @throws what the webhook throws */
  call = async (path: string, review: unknown, signal: AbortSignal): Promise<unknown> => {
    const webhooks = this.#routes.get(path);
    if (webhooks === undefined) return this.#probe(path, review);
    this.#calls++;
    try {
      return await webhooks.answer(path, review, this.#callEnv(webhooks, path, signal));
    } catch (error) {
      // Webhooks log the failures of their functions, which have the status 500.
      if ((error as { readonly status?: unknown }).status !== 500)
        recordingLogger(this.#env().logs).error({ err: error, path }, `webhook ${path} failed: ${String(error)}`);
      throw error;
    } finally {
      this.#calls--;
    }
  };

  #probe(path: string, review: unknown): object {
    this.probed.add(path);
    const { apiVersion, kind, request } = review as { apiVersion: string; kind: string; request: { uid: string } }; // of an API server
    return { apiVersion, kind, response: { uid: request.uid, allowed: true } };
  }

  #callEnv({ kind, reads }: TestedWebhooks, path: string, signal: AbortSignal): TestedCallEnv {
    const { clock, reader, logs } = this.#env();
    const log = recordingLogger(logs);
    return {
      client: this.#client ?? reader,
      clock,
      log,
      signal,
      read: (object, until) => readValues(reads, object, { client: reader, log, signal: until, where: `the webhooks of ${kind.kind}` }),
      onIgnored: (of, name, reason) => log.warn({ kind: of, object: name, reason, path }, `the kept fields of ${of} ${name} are ignored`),
    };
  }
}
