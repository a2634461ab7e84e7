/** `treadle check`: from the name of a module to the output. */
import type { CustomResourceDefinition as Crd } from "@treadle/apimachinery";
import { loadProgram, noHandler } from "@treadle/controller/unstable/program";
import { CliError } from "../cli-error.ts";
import type { ConnectionFlags } from "../cluster/connection-flags.ts";
import { onCluster } from "../cluster/session.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { document } from "../output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { changesOf, checkedProgram, checkIgnored, problemsOf } from "./find.ts";
import { oldCrds } from "./old.ts";
import type { Change } from "./problem.ts";
import { samplesOf } from "./samples.ts";
import { reportText } from "./text.ts";

/** Flags of the command. */
export interface CheckFlags extends ConnectionFlags {
  readonly against?: string;
  readonly againstCluster?: boolean;
  readonly ignore?: readonly string[];
  readonly export?: readonly string[];
  readonly strict?: boolean;
  readonly output?: "json";
}

/** @throws CliError, ProgramError and errors of the client */
export async function runCheck(module: string, flags: CheckFlags, terminal: Terminal): Promise<ExitCode> {
  const { ignore = [], against, againstCluster = false } = flags;
  checkIgnored(ignore);
  if (against !== undefined && againstCluster) throw new CliError("--against and --against-cluster do not go together; choose one");
  const program = checkedProgram(await terminal.apart(() => loadProgram(module, { exports: flags.export })));
  if (program.handlers.length === 0) throw noHandler(module);
  const problems = await problemsOf(program, { samples: await samplesOf(module), ignored: ignore });
  const old = await oldOf(program.crds, flags, terminal);
  const changes: readonly Change[] | undefined = old === undefined ? undefined : changesOf(old, program.crds, ignore);
  const report = { module, problems, ...(changes === undefined ? {} : { changes }) };
  if (flags.output === "json") terminal.out(document("CheckReport", report));
  else terminal.out(reportText(report, terminal));
  const isBad = [...problems, ...(changes ?? [])].some(
    ({ severity }) => severity === "error" || (flags.strict === true && severity === "warning"),
  );
  return isBad ? EXIT.no : EXIT.ok;
}

/** The CRDs of the old version; `undefined` if none was named. */
async function oldOf(next: readonly Crd[], flags: CheckFlags, terminal: Terminal): Promise<readonly Crd[] | undefined> {
  const { against, againstCluster } = flags;
  if (againstCluster === true) return ofCluster(next, flags, terminal);
  if (against === undefined) return undefined;
  const old = await terminal.apart(() => oldCrds(against));
  const groups = new Set(next.map(({ spec }) => spec.group));
  if (next.length > 0 && old.every(({ spec }) => !groups.has(spec.group)))
    throw new CliError(
      `--against ${against} has no CRD of the groups ${[...groups].join(", ")}; name the file or folder with the CRDs of the old version`,
    );
  return old;
}

/** A CRD that the cluster does not have is new. */
async function ofCluster(next: readonly Crd[], flags: CheckFlags, terminal: Terminal): Promise<readonly Crd[]> {
  const { CustomResourceDefinition } = await import("@treadle/apimachinery/kinds");
  return await onCluster(flags, terminal, async ({ client, signal }) => {
    const found = await Promise.all(next.map(({ metadata }) => client.get(CustomResourceDefinition, { name: metadata.name }, { signal })));
    return found.filter((crd) => crd !== undefined);
  });
}
