/** Reports what ends the program: an error at import, a rejected `run()`, an exception of a timer. */
import { importFailure } from "@treadle/controller/unstable/program";
import type { Parent } from "./channel.ts";

/** Listens for exceptions that the program does not catch. */
export function reportFailures(parent: Parent): void {
  process.on("uncaughtException", (error: unknown) => {
    // A program with a listener decides itself whether it ends.
    const isOurs = process.listenerCount("uncaughtException") === 1;
    parent.send({ type: "failed", message: importFailure(error, process.cwd()), isPortInUse: isPortInUse(error) }, () => {
      if (isOurs) process.exit(1);
    });
  });
}

function isPortInUse(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if ("code" in at && at.code === "EADDRINUSE") return true;
  return false;
}
