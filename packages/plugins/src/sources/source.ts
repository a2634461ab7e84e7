/** What the sources share: options, and how they start programs and reach servers. Both are loaded at the first use. */
import { resolve } from "node:path";
import type { Connection, Origin, PluginSource } from "../connection.ts";
import { PluginError } from "../plugin-error.ts";
import type { LaunchOptions } from "../process/launch.ts";
import type { GrpcOptions } from "../wire/connect.ts";
import { messageOf } from "../wire/texts.ts";

/** Options of every source of plugins. */
export interface PluginSourceOptions {
  /** Decides between plugins that offer the same: the one of the highest priority serves. @defaultValue 0 */
  readonly priority?: number;
}

/** Options of sources that start programs. */
export interface ProgramOptions extends PluginSourceOptions {
  /** Names of environment variables that a program gets besides PATH, HOME, TMPDIR and TZ. @defaultValue none */
  readonly envNames?: readonly string[];
}

/** Starts the program `file`. @throws PluginError with what to do */
export type Launch = (file: string, options: LaunchOptions, signal: AbortSignal) => Promise<Connection>;

/** Connects to the server at `unix:/path` or `host:port`. @throws PluginError with what to do */
export type Reach = (target: string, options: GrpcOptions, signal: AbortSignal) => Promise<Connection>;

/** {@link Launch} with a real process. */
export const launch: Launch = async (...given) => (await import("../process/launch.ts")).launchPlugin(...given);

/** {@link Reach} with a real connection. */
export const reach: Reach = async (...given) => (await import("../wire/connect.ts")).connectGrpc(...given);

/** Returns an origin with the priority of its source. Its failures are a PluginError that names `title`. */
export function originOf(found: Omit<Origin, "priority">, { priority = 0 }: PluginSourceOptions): Origin {
  return {
    ...found,
    priority,
    async connect(env, signal) {
      try {
        return await found.connect(env, signal);
      } catch (error) {
        if (error instanceof PluginError || signal.aborted) throw error;
        throw new PluginError("NotStarted", `cannot use plugin "${found.name}" of ${found.title}: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}

/** Returns a source of one plugin that is always there. */
export function sourceOf(found: Omit<Origin, "priority">, options: PluginSourceOptions): PluginSource {
  const origin = originOf(found, options);
  return { title: found.title, start: (env) => Promise.resolve(env.offer(origin)) };
}

/** The code of an error of the file system, such as ENOENT. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** The absolute path. @throws TypeError for an empty one: it would be the working folder */
export function absolute(path: string, example: string): string {
  if (path === "") throw new TypeError(`the path of a plugin source is empty: give one, such as ${example}`);
  return resolve(path);
}
