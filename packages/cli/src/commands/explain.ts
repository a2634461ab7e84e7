import type { ExplainFlags } from "../explain/run.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";

/** `treadle explain`. */
export const explain: CommandDeclaration = {
  name: "explain",
  summary: "tell why an object is not ready, and what to do",
  description:
    "Tells why an object is not ready: the cause in the first sentence, then the objects that are not ready, the last error, the next attempt, " +
    "and what you can do. It reads status, events, leases and owners, and changes nothing. It works for objects of any operator, and for " +
    "Deployments, Jobs, pods and other kinds of Kubernetes.",
  argument: { syntax: "<object...>", description: "KIND/NAME or KIND NAME; the kind as in kubectl" },
  flags: [OUTPUT, { flags: "--exit-code", description: "end with 1 if the object is not ready" }],
  isOnCluster: true,
  examples: [
    { line: "explain deployment/web", does: "why does this Deployment not become ready?" },
    { line: "explain shops.example.dev/a -n shops", does: "an object of your operator" },
    { line: "explain shop a -o json --exit-code", does: "for a script" },
  ],
  run: async (words, flags, terminal) => (await import("../explain/run.ts")).runExplain(words, flags as ExplainFlags, terminal),
};
