/** Flags that several commands of releases share. */
import type { ArgumentDeclaration, FlagDeclaration } from "./command.ts";

export const NAME: ArgumentDeclaration = {
  syntax: "<name>",
  description: "name of the release; -n is the namespace in which it is stored",
};

export const SOURCES: ArgumentDeclaration = {
  syntax: "<source...>",
  description: "YAML files, folders, charts, Kustomize folders, modules of cdk8s, or - for the standard input",
};

/** Flags that say how sources are rendered. */
export const RENDER_FLAGS: readonly FlagDeclaration[] = [
  {
    flags: "-f, --values <file>",
    description: "file with values of charts and modules; may be repeated, the last one wins",
    isRepeatable: true,
  },
  { flags: "--set <key=value>", description: "one value, such as tag=1.2; may be repeated", isRepeatable: true },
  { flags: "--target-namespace <name>", description: "namespace of objects that name none (default: that of the release)" },
];

/** Flags that say what a command may write. */
export const WRITE_FLAGS: readonly FlagDeclaration[] = [
  { flags: "--create-namespace", description: "create missing namespaces; they are never deleted" },
  { flags: "--force-conflicts", description: "take fields that other field managers have set" },
  { flags: "--adopt", description: "take existing objects that belong to nobody" },
];

/** Flags of commands that wait for objects. */
export const WAIT_FLAGS: readonly FlagDeclaration[] = [
  { flags: "--wait", description: "wait until all objects are ready (default)" },
  {
    flags: "--no-wait",
    description: "end when all objects are written; objects that are no longer in the sources stay until the next run",
  },
  { flags: "--timeout <time>", description: "time to wait, such as 90s or 5m (default: 10m)" },
  { flags: "--history-max <number>", description: "number of revisions that are kept (default: 10)" },
];
