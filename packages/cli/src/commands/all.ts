import { adopt } from "./adopt.ts";
import { apply } from "./apply.ts";
import { build } from "./build.ts";
import { check } from "./check.ts";
import { completion } from "./completion.ts";
import type { CommandDeclaration } from "./command.ts";
import { deleteRelease } from "./delete.ts";
import { diff } from "./diff.ts";
import { dev } from "./dev.ts";
import { explain } from "./explain.ts";
import { generate } from "./generate.ts";
import { graph } from "./graph.ts";
import { history } from "./history.ts";
import { list } from "./list.ts";
import { rollback } from "./rollback.ts";
import { status } from "./status.ts";
import { newCommand } from "./new.ts";
import { tree } from "./tree.ts";
import { upgrade } from "./upgrade.ts";

/** All commands, in the order of the help. Add a new one here. */
export const COMMANDS: readonly CommandDeclaration[] = [
  newCommand,
  upgrade,
  dev,
  explain,
  tree,
  graph,
  check,
  generate,
  build,
  apply,
  diff,
  status,
  list,
  history,
  rollback,
  deleteRelease,
  adopt,
  completion,
];
