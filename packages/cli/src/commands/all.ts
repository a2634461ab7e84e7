import { build } from "./build.ts";
import type { CommandDeclaration } from "./command.ts";
import { dev } from "./dev.ts";
import { explain } from "./explain.ts";
import { graph } from "./graph.ts";
import { newCommand } from "./new.ts";
import { tree } from "./tree.ts";
import { upgrade } from "./upgrade.ts";

/** All commands, in the order of the help. Add a new one here. */
export const COMMANDS: readonly CommandDeclaration[] = [newCommand, upgrade, dev, explain, tree, graph, build];
