/** The connection to one running plugin, and where connections come from. Types only: sources and processes give them, the host uses them. */
import type { Clock, Random } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import type { Description, PlanAnswer, PlanRequest } from "./wire/messages.ts";

/**
 * A connection to a plugin that runs. Each call ends within a limit of the connection, and when its signal is aborted. It rejects with a
 * PluginError; the plugin may still run then.
 */
export interface Connection {
  /** How it was connected, for people, such as `grpc/1 over unix`. */
  readonly protocol: string;
  /** Returns what the plugin offers. */
  describe(signal: AbortSignal): Promise<Description>;
  /** Returns the answer, checked by its form: JSON, ids, sizes. */
  plan(request: PlanRequest, signal: AbortSignal): Promise<PlanAnswer>;
  /** Asks `grpc.health.v1`. Resolves when the plugin serves. */
  check(signal: AbortSignal): Promise<void>;
  /** Resolves when the process has ended or the server is away, with the reason as a sentence part. It never rejects. */
  readonly ended: Promise<string>;
  /** Asks the plugin to end, and kills its process after 2 s. Safe to repeat; it never rejects. A server only loses the connection. */
  close(): Promise<void>;
}

/** What a connection needs of the operator. */
export interface ConnectEnv {
  /** The clock of the operator. */
  readonly clock: Clock;
  /** The random source of the operator. */
  readonly random: Random;
  /** The log of the plugin: what it writes is logged here. */
  readonly log: Logger;
  /** Returns a text of the plugin without the values of Secrets that it knows. */
  readonly hide: (text: string) => string;
}

/** A plugin as a source found it: a program that can be started, or a server that can be reached. */
export interface Origin {
  /** The name of the plugin for the host: of the file without its extension, of the repository, or the option `name`. */
  readonly name: string;
  /** Where it is, for messages. */
  readonly title: string;
  /** Another text after the program has changed. A server has always the same. */
  readonly revision: string;
  /** Whether it is a server: it may be another program after each connection, so its plans are made again. @defaultValue false */
  readonly isServer?: boolean;
  /** Decides between plugins that offer the same: the higher one serves. */
  readonly priority: number;
  /** Starts the program, or connects to the server, within its own limit. @throws PluginError with what to do */
  connect(env: ConnectEnv, signal: AbortSignal): Promise<Connection>;
}

/** What a source gets of the host. */
export interface PluginSourceEnv extends Omit<ConnectEnv, "hide"> {
  /** Reports a plugin, or a new revision of it. */
  offer(origin: Origin): void;
  /** Reports that a plugin was removed. */
  withdraw(name: string): void;
}

/** A place where plugins come from: `folder()`, `socket()`, `address()` or `release()`. */
export interface PluginSource {
  /** The place, for messages. */
  readonly title: string;
  /**
   * Looks for plugins until `signal` is aborted. Resolves after the first look. It never rejects: what it finds wrong is in the log,
   * once, and it looks again.
   */
  start(env: PluginSourceEnv, signal: AbortSignal): Promise<void>;
}
