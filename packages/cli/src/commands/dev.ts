import type { DevFlags } from "../dev/run.ts";
import type { CommandDeclaration } from "./command.ts";
import { CONNECTION_FLAGS } from "./connection.ts";

const OF_KUBECTL = ["--namespace", "--context", "--kubeconfig", "--server"];

/** `treadle dev`. */
export const dev: CommandDeclaration = {
  name: "dev",
  summary: "run an operator while you edit it",
  description:
    "Runs an operator while you edit it, against an in-memory cluster or the one that you name. An edit replaces the operator; the objects of " +
    "the cluster stay. It applies the CRDs of the program and the samples, and shows the passes that change something: their cause, steps, " +
    "writes and conditions. Ctrl-C ends it.",
  argument: { syntax: "<module>", description: "file that runs a manager, or exports handlers, such as src/main.ts" },
  flags: [
    { flags: "-o, --output <format>", description: "json: one line for each event, for programs", choices: ["json"] },
    { flags: "--all", description: "show passes that change nothing, and every line of the log" },
    { flags: "--samples <dir>", description: "manifests to apply, also after each change of them; by default deploy/samples" },
    { flags: "--port <port>", description: "port of the in-memory cluster (default: a free one)" },
    { flags: "--webhook-host <host>", description: "name or address by which the API server reaches this machine, for webhooks" },
    ...CONNECTION_FLAGS.filter(({ flags }) => OF_KUBECTL.some((name) => flags.includes(name))),
  ],
  isOnCluster: false,
  examples: [
    { line: "dev src/main.ts", does: "in memory, with nothing installed" },
    { line: "dev src/main.ts --context kind-dev", does: "against a cluster of your kubeconfig" },
    { line: "dev src/main.ts --all", does: "every pass, also those that change nothing" },
    { line: "dev src/main.ts -o json", does: "for a script" },
  ],
  run: async ([module = ""], flags, terminal) => (await import("../dev/run.ts")).runDev(module, flags as DevFlags, terminal),
};
