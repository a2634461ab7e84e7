/** The desired state of a release from the command line: flags, sources, rules. */
import { CliError } from "../cli-error.ts";
import type { Desired } from "./run/change.ts";
import type { WriteRules } from "./run/engine.ts";
import { type ReleaseContext, type ReleaseFlags, targetNamespaceOf } from "./session.ts";
import { renderSources } from "./source/render.ts";
import type { ValueFlags } from "./source/values.ts";
import type { ReleaseRecord } from "./store/record.ts";

/** Flags of commands that write objects. */
export interface WriteFlags extends ReleaseFlags {
  readonly targetNamespace?: string;
  readonly createNamespace?: boolean;
  readonly forceConflicts?: boolean;
  readonly adopt?: boolean;
  /** @defaultValue true */
  readonly wait?: boolean;
  readonly timeout?: string;
  readonly historyMax?: string;
}

/** Flags of the command. */
export interface ApplyFlags extends WriteFlags, ValueFlags {
  readonly dryRun?: boolean;
}

/** Renders the sources. Without `--target-namespace` the target stays what it was. */
export async function desiredOf(
  { session, terminal, ref }: ReleaseContext,
  {
    sources,
    flags,
    record,
  }: { readonly sources: readonly string[]; readonly flags: ApplyFlags; readonly record: ReleaseRecord | undefined },
): Promise<Desired> {
  const present = record?.object.spec;
  const isNew = present === undefined || present.revision === 0;
  const targetNamespace = targetNamespaceOf(flags.targetNamespace, isNew ? ref.namespace : present.targetNamespace);
  const rendered = await renderSources(sources, flags, {
    name: ref.name,
    namespace: targetNamespace,
    revision: (present?.revision ?? 0) + 1,
    client: session.client,
    terminal,
  });
  return { ...rendered, targetNamespace, cause: "apply" };
}

export function rulesOf({ adopt, createNamespace }: Pick<WriteFlags, "adopt" | "createNamespace">): WriteRules {
  return { adopts: adopt === true, takesHelm: false, reclaims: [], createsNamespaces: createNamespace === true };
}

/** @throws CliError */
export function requireSources(name: string, sources: readonly string[]): void {
  if (sources.length > 0) return;
  throw new CliError(
    `release ${name} needs a source: a YAML file, a folder, a chart, a kustomization, a module, or - for the standard input`,
  );
}

/** Number of revisions that are kept without `--history-max`. */
const HISTORY_MAX = 10;

/** @throws CliError */
export function historyMaxOf(text: string | undefined): number {
  if (text === undefined) return HISTORY_MAX;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new CliError(`--history-max ${text} is no number of revisions; write a whole number from 1`);
  return count;
}
