/** What all commands of releases share: the release that is meant, the person, and the limits. */
import { hostname, userInfo } from "node:os";
import type { Ref } from "@treadle/apimachinery";
import { parseDuration } from "@treadle/dependents/unstable/run";
import { CliError } from "../cli-error.ts";
import type { ConnectionFlags } from "../cluster/connection-flags.ts";
import { onCluster, type Session } from "../cluster/session.ts";
import { checkNamespace } from "../cluster/object-argument.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { checkReleaseName } from "./name.ts";

/** Flags of every command of releases. */
export interface ReleaseFlags extends ConnectionFlags {
  readonly output?: "json";
}

/** A command on one release. */
export interface ReleaseContext {
  readonly session: Session;
  readonly terminal: Terminal;
  readonly ref: Required<Ref>;
  /** User and machine, for other people. */
  readonly holder: string;
}

/** Calls `work` with the release that the words and flags name. @throws CliError and errors of the client */
export async function onRelease<T>(
  name: string,
  flags: ReleaseFlags,
  terminal: Terminal,
  work: (context: ReleaseContext) => Promise<T>,
): Promise<T> {
  checkReleaseName(name);
  return await onCluster(flags, terminal, async (session) => {
    const ref = { name, namespace: session.namespace };
    return await work({ session, terminal, ref, holder: holderOf(terminal) });
  });
}

function holderOf({ env }: Pick<Terminal, "env">): string {
  return `${env["USER"] ?? env["USERNAME"] ?? userName()}@${env["HOSTNAME"] ?? hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown"; // In a container the user may have no name.
  }
}

/** Default time limit of commands that wait, as text. */
const DEFAULT_TIMEOUT = "10m";

/** @throws CliError for a text that is no time above 0 */
export function timeoutOf(text: string = DEFAULT_TIMEOUT): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0) throw new CliError(`--timeout ${text} is no time; write a number with a unit, such as 90s, 5m or 1h30m`);
  return ms;
}

/** @throws CliError */
export function targetNamespaceOf(given: string | undefined, fallback: string): string {
  if (given !== undefined && !isNamespaceName(given))
    throw new CliError(`--target-namespace ${JSON.stringify(given)} cannot be a namespace`);
  return given ?? fallback;
}

function isNamespaceName(name: string): boolean {
  try {
    checkNamespace(name);
    return true;
  } catch {
    return false;
  }
}
