/** client-go's informers before both servers: what they saw, line by line, must be the same. */
import { join } from "node:path";
import { capture } from "../../src/run.ts";
import { build } from "./go.ts";
import { type Side, SIDES, startServers } from "./servers.ts";

export interface Outcome {
  /** One sentence for the summary. */
  readonly line: string;
  readonly problems: readonly string[];
}

/** A run takes some 30 s, which is mostly client-go's patience after a watch has ended. */
const MODES = [
  { watchList: true, contentType: "application/json" },
  { watchList: false, contentType: "application/json" },
  { watchList: true, contentType: "application/vnd.kubernetes.protobuf" },
] as const;

/** Builds the program into `dir` and runs it. */
export async function compareInformers(dir: string, log: (line: string) => void): Promise<Outcome> {
  const program = join(dir, "informer");
  await build("clients", "./informer", program, true);
  await using servers = await startServers({ controllers: [], log });
  const problems: string[] = [];
  let lines = 0;
  // At once, each in a namespace of its own: nearly all of the time they wait.
  await Promise.all(
    MODES.map(async ({ watchList, contentType }) => {
      const mode = `informer, ${contentType}${watchList ? ", streaming lists" : ""}`;
      const run = async (side: Side): Promise<readonly string[]> => {
        const args = ["-kubeconfig", servers.kubeconfigs[side], "-content-type", contentType, `-watchlist=${watchList}`];
        const { code, output } = await capture(program, args);
        if (code !== 0) problems.push(`${mode}: it ended with ${code} before the ${side} server:\n${output.slice(-2000)}`);
        // What client-go logs has times in it.
        return output.split("\n").filter((line) => !/^[IWE]\d{4} /.test(line));
      };
      const [real = [], memory = []] = await Promise.all(SIDES.map(run));
      const at = real.findIndex((line, i) => line !== memory[i]);
      if (at >= 0 || real.length !== memory.length)
        problems.push(`${mode}: line ${at + 1} is "${real[at] ?? ""}" before the real server and "${memory[at] ?? ""}" in memory`);
      lines += real.length;
    }),
  );
  return { line: `informers of client-go: ${lines} lines in ${MODES.length} modes, ${problems.length} problems`, problems };
}
