/**
 * A session with kubectl. What it prints is recorded in `session.txt`, from a real server; the in-memory one prints the same.
 * With TREADLE_TEST_KUBECONFIG it runs on the real one, and `vitest -u` then records anew.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalCluster, startLocalCluster } from "../../src/index.ts";
import { findKubectl, type Ran, startKubectl } from "./programs.ts";
import { type Command, COMMANDS, DEFINITION, NAMESPACE } from "./session.ts";

const program = findKubectl();
let home = "";
let kubeconfig = process.env["TREADLE_TEST_KUBECONFIG"] ?? "";
let cluster: LocalCluster | undefined;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "kubectl-"));
  if (kubeconfig !== "") {
    // What a run that was cut short has left.
    for (const what of [`ns/${NAMESPACE}`, `crd/${DEFINITION}`])
      await startKubectl(program ?? "", ["delete", what, "--ignore-not-found"], { kubeconfig, home }).ended;
    return;
  }
  kubeconfig = join(home, "kubeconfig");
  cluster = await startLocalCluster({ kubeconfig });
});
afterAll(async () => {
  await cluster?.close();
  await rm(home, { recursive: true });
});

/** A word of a command is an argument; none of them has blanks inside. */
function words(args: string): readonly string[] {
  return [...args.split(" "), ...(args.startsWith("api-") ? [] : ["--namespace", NAMESPACE])];
}

async function play({ args, stdin, meanwhile, until }: Command): Promise<readonly Ran[]> {
  const isWatched = meanwhile?.when === "watch=true";
  const options = { kubeconfig, home, ...(stdin === undefined ? {} : { stdin }) };
  const running = startKubectl(program ?? "", [...words(args), ...(isWatched ? ["-v=6"] : [])], options);
  const others: Ran[] = [];
  if (meanwhile !== undefined) {
    await running.shows(meanwhile.when);
    others.push(await startKubectl(program ?? "", words(meanwhile.args), { kubeconfig, home }).ended);
  }
  if (until !== undefined) {
    await running.shows(until);
    running.stop();
  }
  const ran = await running.ended;
  // With -v=6 the requests stand there, too.
  return [isWatched ? { ...ran, stderr: "" } : ran, ...others];
}

/** Without what differs from run to run; columns are parted by two blanks whatever stands in them. */
function normalised(text: string, lines: RegExp | undefined): string {
  return text
    .split("\n")
    .filter((line) => lines === undefined || lines.test(line))
    .map((line) =>
      line
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>")
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
        .replaceAll(/("?resourceVersion"?: )"\d+"/g, "$1<version>")
        .replaceAll(/(?<=\S {2,})(\d+[smh])+$/g, "<age>")
        .replaceAll(/(?<=\S {2,})(\d+[smh])+(?= {2,})/g, "<age>")
        .replaceAll(/(?<=\S) {2,}/g, "  ")
        .trimEnd(),
    )
    .join("\n");
}

function transcriptOf({ args, meanwhile, lines, until }: Command, [ran, other]: readonly Ran[]): string {
  const code = until === undefined ? [`-> ${ran?.code}`] : [];
  const also = meanwhile === undefined ? [] : [`(meanwhile) $ kubectl ${meanwhile.args}`, normalised(other?.stdout ?? "", undefined)];
  const parts = [`$ kubectl ${args}`, ...also, normalised(`${ran?.stdout}${ran?.stderr}`, lines), ...code];
  return parts.filter((part) => part !== "").join("\n");
}

test.skipIf(program === undefined)("kubectl prints what it prints on a real server", { timeout: 180_000 }, async () => {
  const transcript: string[] = [];
  for (const command of COMMANDS) transcript.push(transcriptOf(command, await play(command)));
  await expect(`${transcript.join("\n\n")}\n`).toMatchFileSnapshot("session.txt");
});

test.runIf(program === undefined)(
  "the session with kubectl was not run: there is no kubectl in the control plane's folder or on PATH",
  { tags: ["memory"] },
  () => {
    console.warn("the session with kubectl was not run: `node tools/controlplane/main.ts build` makes one");
  },
);
