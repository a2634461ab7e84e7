import { build } from "./build.ts";
import type { CommandDeclaration } from "./command.ts";
import { explain } from "./explain.ts";
import { generate } from "./generate.ts";
import { graph } from "./graph.ts";
import { tree } from "./tree.ts";

/** All commands, in the order of the help. Add a new one here. */
export const COMMANDS: readonly CommandDeclaration[] = [explain, tree, graph, generate, build];
