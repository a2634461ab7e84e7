/**
 * Measures the main path: the files of the packages that run between one event of a watch and the end of the pass that patched the
 * status. The operator of `examples/simple` runs in a process of its own and speaks HTTP with an in-memory server of this process.
 * Also reads the lists of files in docs/engine.md.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ApiResponse, Kind, KubernetesObject } from "@treadle/apimachinery";
import { type ApiServer, createApiServer, serveHttp } from "@treadle/apiserver";
import { connect } from "@treadle/client";
import { crdOf } from "treadle";
import { root } from "./workspaces.ts";

/** Ids of functions by file, whose path begins at the root of the repository. */
export type FunctionsByFile = Readonly<Record<string, readonly string[]>>;

/** What the measured operator is told. */
export interface ToMeasured {
  readonly type: "measure" | "stop";
}

/** What the measured operator answers. `ran` is empty for a pass that is not measured. */
export type FromMeasured = { readonly type: "ready" | "armed" } | { readonly type: "passed"; readonly ran: FunctionsByFile };

/** Passes that are measured. A timer or a late answer runs in one of them, the main path in all. */
const PASSES = 3;
const PROGRAM = fileURLToPath(new URL("main-path-operator.ts", import.meta.url));

/** The functions of the packages that run in each of several passes. Packages that only tests use are left out. */
export async function measureMainPath(): Promise<FunctionsByFile> {
  // By its path: tools cannot depend on an example.
  const { Simple } = (await import(`${root}/examples/simple/simple.ts`)) as { readonly Simple: Kind<KubernetesObject, object> };
  const server = createApiServer({ resources: [crdOf(Simple)] });
  const gate = gateOfWatches(server, "/simples");
  await using undo = new AsyncDisposableStack();
  undo.defer(() => server.close());
  const front = undo.adopt(await serveHttp(server), ({ close }) => close());
  const config = { source: "test", server: front.url, credentials: async () => ({}) };
  const user = undo.adopt(await connect({ config, fieldManager: "user" }), (client) => client.close());
  const operator = new Measured(front.url);
  undo.defer(() => operator.stop());

  await operator.next("ready");
  const ref = { namespace: "default", name: "a" };
  await user.create(Simple, { metadata: ref, spec: { dividend: 100, divisor: 3 } });
  await operator.next("passed");
  const runs: FunctionsByFile[] = [];
  for (let count = 0; count < PASSES; count++) {
    operator.tell("measure");
    await operator.next("armed");
    // The echo of the status patch may overtake its answer: it is not part of the path, and comes when the pass has ended.
    gate.letThrough(1);
    await user.patch(Simple, ref, { type: "merge", body: { spec: { dividend: 101 + count } } });
    runs.push((await operator.next("passed")).ran);
    gate.letThrough(Number.POSITIVE_INFINITY);
  }
  return ofPackages(inAll(runs));
}

/** The operator's process. It says each thing once, in the order in which it is asked for. */
class Measured {
  readonly #child;
  readonly #heard: FromMeasured[] = [];
  #onHeard: () => void = () => {};
  #output = "";

  constructor(url: string) {
    this.#child = spawn(process.execPath, ["--conditions=@treadle/source", PROGRAM, url], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (data: Buffer) => void (this.#output += String(data)));
    this.#child.on("message", (message: FromMeasured) => {
      this.#heard.push(message);
      this.#onHeard();
    });
    this.#child.once("exit", () => this.#onHeard());
  }

  tell(type: ToMeasured["type"]): void {
    this.#child.send({ type } satisfies ToMeasured);
  }

  /** The next message, which must be of this type. @throws when the process has ended */
  async next<T extends FromMeasured["type"]>(type: T): Promise<Extract<FromMeasured, { readonly ran: unknown }>> {
    while (this.#heard.length === 0) {
      if (this.#child.exitCode !== null) throw new Error(`the measured operator ended with ${this.#child.exitCode}:\n${this.#output}`);
      await new Promise<void>((resolve) => (this.#onHeard = resolve));
    }
    const message = this.#heard.shift();
    if (message?.type !== type) throw new Error(`the measured operator said "${message?.type}", not "${type}":\n${this.#output}`);
    return message.type === "passed" ? message : { type: "passed", ran: {} };
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }
}

/** Lets so many events of the watches of a collection through, and holds back the others. */
function gateOfWatches(server: ApiServer, collection: string): { letThrough(count: number): void } {
  let left = Number.POSITIVE_INFINITY;
  let opened = Promise.withResolvers<void>();
  const handle: ApiServer["handle"] = server.handle.bind(server);
  async function* gated(stream: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const chunk of stream) {
      while (left === 0) await opened.promise;
      left--;
      yield chunk;
    }
  }
  const gatedHandle: ApiServer["handle"] = async (request, sender) => {
    const answer: ApiResponse = await handle(request, sender);
    return answer.stream !== undefined && request.path.includes(collection) ? { ...answer, stream: gated(answer.stream) } : answer;
  };
  Object.defineProperty(server, "handle", { value: gatedHandle });
  return {
    letThrough(count) {
      left = count;
      opened.resolve();
      opened = Promise.withResolvers<void>();
    },
  };
}

function inAll([first = {}, ...others]: readonly FunctionsByFile[]): FunctionsByFile {
  const common = Object.entries(first).map(
    ([file, functions]) => [file, functions.filter((id) => others.every((run) => run[file]?.includes(id) === true))] as const,
  );
  return Object.fromEntries(common.filter(([, functions]) => functions.length > 0));
}

function ofPackages(ran: FunctionsByFile): FunctionsByFile {
  return Object.fromEntries(
    Object.entries(ran)
      .filter(([file]) => file.startsWith("packages/") && !/^packages\/(apiserver|testing)\//.test(file))
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

/** The files that docs/engine.md names, as paths that begin at the root. */
export interface ReadingLists {
  /** From `handler()` to the patch. */
  readonly fromHandler: readonly string[];
  /** From `createManager()` to the pass. */
  readonly fromManager: readonly string[];
  /** Helpers, with one line each. */
  readonly helpers: readonly string[];
}

/**
 * Reads the section "Reading the code".
 * @throws Error when a list is missing
 */
export function readingLists(page: string): ReadingLists {
  const section = page.split("\n## Reading the code\n")[1]?.split("\n## ")[0] ?? "";
  const [, afterHandler = ""] = section.split(/^From `handler\(\)`/m);
  const [handlerList = "", afterManager = ""] = afterHandler.split(/^From `createManager\(\)`/m);
  const numbered = (text: string): readonly string[] => links(text, /^\d+\. \[`[^`]+`\]\(\.\.\/([^)]+)\) \S.*$/gm);
  const lists: ReadingLists = {
    fromHandler: numbered(handlerList),
    fromManager: numbered(afterManager),
    helpers: links(afterManager, /^\| \[`[^`]+`\]\(\.\.\/([^)]+)\) \| \S.* \|$/gm),
  };
  for (const [name, files] of Object.entries(lists))
    if (files.length === 0) throw new Error(`docs/engine.md: the section "Reading the code" has no list ${name}`);
  return lists;
}

function links(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, path = ""]) => path);
}
