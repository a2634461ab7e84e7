/** A project of a user in a folder of the workspace, and `treadle dev` on it as a process. Tests wait for its events, and for nothing else. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { devEvent } from "../../scripts/schemas.ts";
import type { DevEvent } from "../../src/dev/events.ts";

const BIN = join(import.meta.dirname, "..", "..", "src", "treadle-bin.ts");

type Of<T extends DevEvent["type"]> = Extract<DevEvent, { readonly type: T }>;

/** A running `treadle dev`. */
export interface DevRun {
  readonly process: ChildProcess;
  readonly events: readonly DevEvent[];
  /** What it wrote to the standard error output. */
  readonly errors: string;
  /** Resolves with the next event of a type, after the last one that was returned, that matches. Fails when the command ends first. */
  next<T extends DevEvent["type"]>(type: T, matches?: (event: Of<T>) => boolean): Promise<Of<T>>;
  /** Resolves when the command has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** The folder of a project. */
export class Project implements AsyncDisposable {
  readonly folder: string;
  readonly #runs: DevRun[] = [];

  constructor(files: Readonly<Record<string, string>>) {
    this.folder = mkdtempSync(join(import.meta.dirname, "..", "..", ".results-dev-"));
    this.write({ "package.json": '{ "type": "module" }', ...files });
  }

  /** Writes files, and makes their folders. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** Replaces a text in a file, as an editor that saves by a rename. */
  edit(name: string, from: string, to: string): void {
    const path = join(this.folder, name);
    const text = this.read(name);
    if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
    writeFileSync(`${path}~`, text.replace(from, to));
    renameSync(`${path}~`, path);
  }

  /** Starts `treadle dev`. */
  dev(module: string, ...flags: readonly string[]): DevRun {
    const run = observed(this.#spawn([module, "-o", "json", ...flags]));
    this.#runs.push(run);
    return run;
  }

  /** Runs `treadle dev` until its output contains a text, and ends it by Ctrl-C. */
  async text(module: string, until: string): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
    const child = this.#spawn([module]);
    const output = { out: "", err: "" };
    child.stdout?.on("data", (chunk) => {
      const isNews = !output.out.includes(until);
      output.out += String(chunk);
      if (isNews && output.out.includes(until)) child.kill("SIGINT");
    });
    child.stderr?.on("data", (chunk) => void (output.err += String(chunk)));
    return await new Promise((resolve) => child.once("close", (code) => resolve({ code, ...output })));
  }

  #spawn(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, ["--conditions=@treadle/source", BIN, "dev", ...args], {
      cwd: this.folder,
      env: { PATH: process.env["PATH"], HOME: "/nowhere", FORCE_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const run of this.#runs) run.process.kill("SIGKILL");
    await Promise.all(this.#runs.map((run) => run.ended));
    // A process of the operator may write its last file.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function observed(child: ChildProcess): DevRun {
  const events: DevEvent[] = [];
  const seen = new Set<DevEvent>();
  const waiting = new Set<() => void>();
  const output = { rest: "", errors: "" };
  let hasEnded = false;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  child.stdout?.on("data", (chunk) => {
    const lines = (output.rest + String(chunk)).split("\n");
    output.rest = lines.pop() ?? "";
    for (const line of lines) events.push(devEvent.parse(JSON.parse(line)) as DevEvent); // The schema has exact optional fields, too.
    wake();
  });
  child.stderr?.on("data", (chunk) => void (output.errors += String(chunk)));
  const ended: DevRun["ended"] = new Promise((resolve) =>
    child.once("close", (code, signal) => {
      hasEnded = true;
      wake();
      resolve({ code, signal });
    }),
  );
  return {
    process: child,
    events,
    get errors() {
      return output.errors;
    },
    next: (type, matches = () => true) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = events.find((event) => event.type === type && !seen.has(event) && matches(event as never)); // It has that type.
          if (found === undefined) {
            if (hasEnded) reject(new Error(`ended before ${type}: ${output.errors}${JSON.stringify(events.slice(-5), undefined, 1)}`));
            return;
          }
          waiting.delete(look);
          for (const event of events.slice(0, events.indexOf(found) + 1)) if (event.type === type) seen.add(event);
          resolve(found as never); // It has that type.
        };
        waiting.add(look);
        look();
      }),
    ended,
  };
}

/** Whether a process runs. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process works: one that has ended is listed until its parent asks for its exit code, which the first process of a container may not do. */
export function works(pid: number): boolean {
  if (!runs(pid)) return false;
  if (process.platform !== "linux") return true;
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** The files of a project with one resource, as `treadle new` makes them. */
export const SHOP = {
  "src/shop.ts": `
import { conditions, defineResource, dependentApply, handler, type ObjectOf, step } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { z } from "zod";

export const Shop = defineResource({
  group: "example.dev", version: "v1", kind: "Shop", scope: "Namespaced", dependents: true,
  spec: z.object({ text: z.string().default("hello") }),
  status: z.object({ text: z.string().optional() }),
});
export interface Shop extends ObjectOf<typeof Shop> {}

const config = dependentApply(Shop, { name: "config", kind: ConfigMap, desired: (shop) => ({ data: { text: shop.spec.text } }) });
const say = step(Shop, {
  name: "say",
  conditions: ["Said"],
  do(req) {
    req.status.text = \`said \${req.object.spec.text}\`;
    req.conditions.true("Said");
  },
});
export const shops = handler(Shop).step(conditions()).step(config).step(say).build();
`,
  "src/main.ts": `
import { createManager } from "treadle";
import { shops } from "./shop.ts";

await createManager({ leaderElection: { name: "shops", namespace: "default" } }).add(shops).run();
`,
  "deploy/samples/a.yaml": `
apiVersion: example.dev/v1
kind: Shop
metadata: { name: a }
spec: { text: hi }
`,
} as const;
