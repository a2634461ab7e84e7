import { build } from "./build.ts";
import type { CommandDeclaration } from "./command.ts";
import { dev } from "./dev.ts";
import { explain } from "./explain.ts";
import { graph } from "./graph.ts";
import { tree } from "./tree.ts";

/** All commands, in the order of the help. Add a new one here. */
export const COMMANDS: readonly CommandDeclaration[] = [dev, explain, tree, graph, build];
