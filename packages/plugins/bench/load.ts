/**
 * What the first plugin loads: the time and the memory of each library, in a new process each time, of what is built (`npm run check -- build`). Beside it
 * the package itself after `treadle`, which every operator with plugins loads.
 *
 * BENCH_RUNS sets the number of processes.
 */
import { execFileSync } from "node:child_process";
import { median } from "./src/statistics.ts";

const RUNS = Number(process.env["BENCH_RUNS"] ?? 7);
const root = new URL("../../..", import.meta.url).pathname;
execFileSync("turbo", ["run", "build", "--filter=@treadle/plugins", "--output-logs=errors-only"], {
  cwd: root,
  stdio: "inherit",
});

const wire = new URL("../dist/wire/", import.meta.url).href;
const PARTS: readonly (readonly [title: string, code: string])[] = [
  ["handlers and sets (every operator)", `await import("@treadle/controller"); await import("@treadle/dependents");`],
  ["@treadle/plugins", `await import("@treadle/plugins");`],
  ["@grpc/grpc-js", `await import("@grpc/grpc-js");`],
  ["@grpc/proto-loader and the protos", `await (await import("${wire}protos.js")).loadProtos();`],
  ["@peculiar/x509 and a certificate", `await (await import("${wire}certificate.js")).newCertificate();`],
  ["one more certificate", `await (await import("${wire}certificate.js")).newCertificate();`],
];

interface Cost {
  readonly ms: number;
  readonly bytes: number;
}

function measured(): readonly Cost[] {
  const parts = PARTS.map(([, code]) => `await part(async () => { ${code} });`).join("\n");
  const script = `
    const costs = [];
    async function part(run) {
      globalThis.gc();
      const [rss, started] = [process.memoryUsage.rss(), performance.now()];
      await run();
      const ms = performance.now() - started;
      globalThis.gc();
      costs.push({ ms, bytes: process.memoryUsage.rss() - rss });
    }
    ${parts}
    console.log(JSON.stringify(costs));`;
  const args = ["--expose-gc", "--input-type=module", "-e", script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname })) as readonly Cost[];
}

measured(); // The first run reads the files from the disk.
const runs = Array.from({ length: RUNS }, measured);
for (const [i, [title]] of PARTS.entries()) {
  const of = (field: keyof Cost): number => median(runs.map((run) => run[i]?.[field] ?? Number.NaN));
  console.log(`${title}: ${of("ms").toFixed(0)} ms, ${(of("bytes") / 2 ** 20).toFixed(1)} MB resident`);
}
