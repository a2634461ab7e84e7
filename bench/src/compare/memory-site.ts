/** The in-memory server of this checkout in a process of its own, the same for both sides of a comparison. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { type Client, connect } from "@treadle/client";
import { type Account, inCluster } from "../accounts.ts";

const ROOT = resolve(import.meta.dirname, "..", "..", "..");

export interface MemorySite extends AsyncDisposable {
  /** Of the administrator. */
  readonly client: Client;
  /** Of the administrator. */
  readonly kubeconfig: string;
  /** The environment of an operator, as in a pod. It has the rights of the administrator. */
  operatorEnv(name: string): Readonly<Record<string, string>>;
}

/** Starts the server. @throws when it ends before it is ready, with its output */
export async function startMemorySite(): Promise<MemorySite> {
  const dir = mkdtempSync(join(tmpdir(), "treadle-compare-server-"));
  const kubeconfig = join(dir, "kubeconfig");
  const args = ["--conditions=@treadle/source", join(ROOT, "packages/apiserver/scripts/cluster.ts"), "--kubeconfig", kubeconfig];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const closed = new Promise<undefined>((done) => child.once("close", () => done(undefined)).once("error", () => done(undefined)));
  const end = async (): Promise<void> => {
    child.kill("SIGTERM");
    await closed;
    process.off("exit", kill);
    rmSync(dir, { recursive: true, force: true });
  };
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ready = new Promise<string>((done) => {
    createInterface(child.stdout).on("line", (line) => {
      output += `${line}\n`;
      const found = /ready at (https:\/\/[^;\s]+)/.exec(line)?.[1];
      if (found !== undefined) done(found);
    });
  });
  try {
    const url = await Promise.race([ready, closed]);
    if (url === undefined) throw new Error(`the in-memory server did not start:\n${output}`);
    const token = /"token": "([^"]+)"/.exec(readFileSync(kubeconfig, "utf8"))?.[1];
    if (token === undefined) throw new Error(`${kubeconfig} has no token`);
    const client = await connect({ kubeconfig, fieldManager: "bench" });
    return {
      client,
      kubeconfig,
      operatorEnv: (name) => inCluster(dir, { user: name, token } satisfies Account, url, kubeconfig),
      async [Symbol.asyncDispose]() {
        await client.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
