import type { GraphFlags } from "../graph/run.ts";
import type { CommandDeclaration } from "./command.ts";

/** `treadle graph`. */
export const graph: CommandDeclaration = {
  name: "graph",
  summary: "draw the pipelines of an operator, from its module",
  description:
    "Draws the pipeline of each handler of a module as a Mermaid flowchart or a picture: the steps in their order, their phases and conditions, the vars " +
    "that steps hand over, the kinds that they read and own, and the watches. The module is loaded, but no manager of it runs.",
  argument: { syntax: "<module>", description: "file that exports handlers, or runs a manager, such as src/main.ts" },
  flags: [
    {
      flags: "-o, --output <format>",
      description: "mermaid (default); svg: a picture; json: for programs",
      choices: ["mermaid", "svg", "json"],
    },
    { flags: "--export <name>", description: "only the handlers of this export; may be repeated", isRepeatable: true },
  ],
  isOnCluster: false,
  examples: [
    { line: "graph src/main.ts > pipeline.mmd", does: "a file that GitHub, GitLab and editors show" },
    { line: "graph src/main.ts -o svg > pipeline.svg", does: "a picture for a browser" },
    { line: "graph ./main.ts --export widgets", does: "the handlers of one export" },
    { line: "graph src/main.ts -o json", does: "for a script" },
  ],
  run: async ([module = ""], flags, terminal) => (await import("../graph/run.ts")).runGraph(module, flags as GraphFlags, terminal),
};
