/** Runs a session with kubectl and records its output, without the parts that differ in each run. */
import { type Ran, startKubectl } from "./programs.ts";
import type { Command } from "./session.ts";

/** The place of a session. */
export interface Stage {
  readonly program: string;
  readonly kubeconfig: string;
  readonly home: string;
  /** Namespace of each command. */
  readonly namespace?: string;
  /** Folder that replaces `{files}` in the commands, as the home replaces `{home}`. */
  readonly files?: string;
}

/** Returns the commands with their output. */
export async function transcriptOf(commands: readonly Command[], stage: Stage): Promise<string> {
  const transcript: string[] = [];
  for (const command of commands) transcript.push(told(command, await play(command, stage), stage));
  return `${transcript.join("\n\n")}\n`;
}

/** Maximum time of a command, in milliseconds. A command that takes longer is ended and has no exit code. */
const PATIENCE_MS = 20_000;

/** Splits the words of a command at blanks outside of single quotes. */
function words(args: string, { namespace, home, files = "" }: Stage): readonly string[] {
  const parts =
    args
      .replaceAll("{files}", files)
      .replaceAll("{home}", home)
      .match(/(?:[^\s']|'[^']*')+/g) ?? [];
  const plain = parts.map((part) => part.replaceAll("'", ""));
  const isPlain = namespace === undefined || /^(api-|cluster-info|config|version|explain|kustomize)/.test(args);
  return [...(isPlain ? [] : ["--namespace", namespace]), ...plain];
}

async function play({ args, stdin, meanwhile, until, env }: Command, stage: Stage): Promise<readonly Ran[]> {
  const { program, kubeconfig, home } = stage;
  const isWatched = meanwhile?.when === "watch=true";
  // Older versions treat a text that begins with a brace as JSON.
  const input = stdin?.startsWith("{") === true ? `---\n${stdin}` : stdin;
  const options = { kubeconfig, home, ...(input === undefined ? {} : { stdin: input }), ...(env === undefined ? {} : { env }) };
  const running = startKubectl(program, [...words(args, stage), ...(isWatched ? ["-v=6"] : [])], options);
  const timer = setTimeout(() => running.stop(), PATIENCE_MS);
  const others: Ran[] = [];
  if (meanwhile !== undefined) {
    await running.shows(meanwhile.when);
    others.push(await startKubectl(program, words(meanwhile.args, stage), { kubeconfig, home }).ended);
  }
  if (until !== undefined) {
    await running.shows(until);
    running.stop();
  }
  const ran = await running.ended;
  clearTimeout(timer);
  // With -v=6 the output contains the requests, too.
  return [isWatched ? { ...ran, stderr: "" } : ran, ...others];
}

/** A real server repairs its list of addresses every few minutes, and may find a Service whose address it has not recorded yet. */
const REPAIRS = / ClusterIPNotAllocated /;

/** Removes the parts that differ in each run. Columns are separated by two blanks. */
function normalised(text: string, lines: RegExp | undefined): string {
  return text
    .split("\n")
    .filter((line) => (lines === undefined || lines.test(line)) && !REPAIRS.test(line))
    .map((line) =>
      line
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>")
        .replaceAll(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [-+]\d{4}/g, "<time>")
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000/g, "<time>")
        .replace(/^[WI]\d{4} [\d:.]+ +\d+ /, "")
        // A template in the form of Go's structs.
        .replace(/Invalid value: \{"labels":.*\}: field/, "Invalid value: <template>: field")
        .replace(/Invalid value: \{"metadata":\{"labels":.*\}: field/, "Invalid value: <template>: field")
        .replaceAll(/\/tmp\/(LIVE|MERGED)-\d+/g, "$1")
        .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, "<server>")
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
        .replaceAll(/("?resourceVersion"?: )"\d+"/g, "$1<version>")
        .replaceAll(/(?<=\S {2,})(\d+[smh])+$/g, "<age>")
        .replaceAll(/(?<=\S {2,})(\d+[smh])+(?= {2,})/g, "<age>")
        .replaceAll(/(?<=\S) {2,}/g, "  ")
        .trimEnd(),
    )
    .join("\n");
}

function told({ args, meanwhile, lines, until }: Command, [ran, other]: readonly Ran[], { files = "?" }: Stage): string {
  const code = until === undefined ? [`-> ${ran?.code}`] : [];
  const also = meanwhile === undefined ? [] : [`(meanwhile) $ kubectl ${meanwhile.args}`, normalised(other?.stdout ?? "", undefined)];
  const parts = [`$ kubectl ${args}`, ...also, normalised(`${ran?.stdout}${ran?.stderr}`.replaceAll(files, "{files}"), lines), ...code];
  return parts.filter((part) => part !== "").join("\n");
}
