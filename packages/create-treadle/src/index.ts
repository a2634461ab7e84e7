/** `npm create treadle`: the command `treadle new operator`, for a machine that has nothing of Treadle yet. */
import { main } from "@treadle/cli";

/** Runs `treadle new operator` with the arguments of the process, and ends the process with its exit code. */
export async function create(): Promise<void> {
  await main("treadle", ["new", "operator"]);
}
