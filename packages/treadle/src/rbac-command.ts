/**
 * `treadle-rbac`: prints the rights of an operator as YAML, from a module that exports its handlers, or runs them. The
 * module is loaded, but its managers do not run.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { parseArgs } from "node:util";
import { rbacManifests, rightsOf } from "@treadle/controller";
import { loadProgram, noHandler } from "@treadle/controller/unstable/program";
import { leaseRights, rbacComments, reviewRights, type RightsHolder, rightsHolderOf, rightTarget } from "@treadle/controller/unstable/rbac";

const USAGE = `usage: treadle-rbac MODULE [options]
  MODULE               exports handlers, or runs a manager, e.g. ./controller.ts; it is loaded, no manager of it runs
  --name NAME          of the ServiceAccount, the roles and the bindings (default: the name of the first handler)
  --namespace NAME     in which the operator runs (default: default)
  --namespaces A,B     which the operator watches, as in createManager({ namespaces })
                       (default: those of the manager that the module runs, else all)
  --lease NAME         of the leader election, may be repeated
                       (default: those of the manager that the module runs)
  --reviews            it asks who may read its metrics, as with metrics.authorize
                       (default: what the manager that the module runs does)
  --export NAME        only this export, may be repeated (default: every handler that is exported, also in lists and records, or run)
  --out FILE           writes the file, and the folder that it needs, instead of printing
  --check FILE         writes nothing; ends with 1 when the file is not what would be written
  --explain            prints one line for each right, with what it is for`;

/** Runs the command. Resolves to its exit code. */
export async function main(args: readonly string[], print: (text: string) => void = console.log): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: "string" },
      namespace: { type: "string", default: "default" },
      namespaces: { type: "string" },
      lease: { type: "string", multiple: true },
      reviews: { type: "boolean" },
      export: { type: "string", multiple: true },
      out: { type: "string" },
      check: { type: "string" },
      explain: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [module, ...rest] = positionals;
  if (values.help === true) return (print(USAGE), 0);
  if (module === undefined || rest.length > 0) throw new Error(`name one module\n${USAGE}`);
  const asked = (["out", "check", "explain"] as const).filter((option) => values[option] !== undefined);
  if (asked.length > 1) throw new Error(`--${asked.join(" and --")} do not go together\n${USAGE}`);
  const program = await programOf(module, values.export);
  const { handlers, runnables, namespaces: managed, events } = program;
  const reviews = values.reviews ?? program.reviews;
  const leases = values.lease === undefined ? program.leases : { names: values.lease };
  if (values.explain === true) {
    for (const right of [
      ...rightsOf(handlers, { runnables, events }),
      ...(leases === undefined ? [] : leaseRights(leases)),
      ...(reviews ? reviewRights() : []),
    ])
      print(`${right.verb} ${rightTarget(right)}: ${right.because}`);
    return 0;
  }
  const namespaces = values.namespaces?.split(",").filter((name) => name !== "") ?? managed;
  const manifests = rbacManifests(handlers, {
    name: values.name ?? handlers[0]?.name ?? required("--name NAME: the module has no handler whose name could be used"),
    namespace: values.namespace,
    runnables,
    reviews,
    events,
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(leases === undefined ? {} : { leases }),
  });
  const rights = rightsOf(handlers, { runnables, events });
  const { Document } = await import("yaml");
  const documents = manifests.map((manifest) => {
    const document = new Document(manifest, { aliasDuplicateObjects: false });
    manifest.rules?.forEach((rule, index) => commentOn(document.getIn(["rules", index]), rbacComments(rule, rights)));
    return document.toString({ lineWidth: 0 });
  });
  const text = `# Made by treadle-rbac of the handlers in ${basename(module)}: change those, and make it anew.\n${documents.join("---\n")}`;
  if (values.check !== undefined) return await check(values.check, text, print);
  if (values.out === undefined) print(text.trimEnd());
  else {
    await mkdir(dirname(values.out), { recursive: true });
    await writeFile(values.out, text);
  }
  return 0;
}

function required(what: string): never {
  throw new Error(`give ${what}`);
}

/** Sets a comment of several lines before a node of YAML. */
function commentOn(node: unknown, lines: readonly string[]): void {
  if (lines.length > 0) (node as { commentBefore?: string }).commentBefore = lines.map((line) => ` ${line}`).join("\n");
}

/** @throws ProgramError when the module cannot be loaded, has no handlers, or lacks one that was asked for. */
async function programOf(module: string, names: readonly string[] | undefined): Promise<RightsHolder> {
  const program = await loadProgram(module, { exports: names });
  const hasRights = program.runnables.some(({ permissions = [], reads = [] }) => permissions.length + reads.length > 0);
  if (program.handlers.length === 0 && !hasRights) throw noHandler(module);
  return rightsHolderOf(program, module);
}

async function check(file: string, text: string, print: (text: string) => void): Promise<number> {
  const present = await readFile(file, "utf8").catch(() => undefined);
  if (present === text) return 0;
  print(`${file} ${present === undefined ? "does not exist" : "is not up to date"}: make it anew with --out ${file}`);
  return 1;
}
