/** A module without a manager: `treadle dev` makes one for the handlers that it exports. */
import { createManager } from "@treadle/controller";
import { handlersIn, noHandler } from "@treadle/controller/unstable/program";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Parent } from "./channel.ts";
import type { DevHost } from "./dev-host.ts";

/** A program that starts its manager later than this after its import is not supported, in milliseconds: it may wait for a file or a secret. */
const LATEST_MS = 3_000;

/** Runs the handlers that the module exports, if nothing else of it starts a manager. */
export function runExported(parent: Parent, host: DevHost, main: string): void {
  // The module that is loading: Node keeps one for each URL. Its error is an uncaught exception, too.
  void import(main).then(
    (exported: Readonly<Record<string, unknown>>) => {
      let isDecided = false;
      const decide = (isOver: boolean): void => {
        if (isDecided || host.managers.length > 0) return;
        const handlers = new Set(Object.values(exported).flatMap(handlersIn));
        if (handlers.size === 0 && !isOver) return;
        isDecided = true;
        if (handlers.size > 0) {
          const manager = createManager();
          for (const handler of handlers) manager.add(handler);
          return void manager.run();
        }
        const { message } = noHandler(relative(process.cwd(), fileURLToPath(main)));
        parent.send({ type: "failed", message, isPortInUse: false }, () => process.exit(1));
      };
      process.once("beforeExit", () => decide(true));
      setTimeout(() => decide(false), LATEST_MS).unref();
    },
    () => undefined,
  );
}
