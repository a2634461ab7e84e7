/** Starts the servers of the benchmarks with a certificate in files: our operator, and one of controller-runtime. */
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificates } from "@treadle/apiserver/unstable/certificates";
import type { Report } from "./operator.ts";

/** A server of webhooks in a process of its own. */
export interface Server extends AsyncDisposable {
  /** Sends a review on a kept connection. Resolves with the status and the text of the answer. */
  send(path: string, body: Buffer): Promise<{ readonly status: number | undefined; readonly text: string }>;
}

/** Our server. */
export interface Operator extends Server {
  report(): Promise<Report>;
}

interface Files extends AsyncDisposable {
  readonly directory: string;
  readonly ca: string;
}

/** Starts our operator. With `turns` it measures the turns of its event loop. */
export async function startOperator(measures: "turns" | "nothing"): Promise<Operator> {
  const files = await makeFiles();
  const args = [join(files.directory, "tls.crt"), join(files.directory, "tls.key"), measures];
  const child = fork(new URL("./operator.ts", import.meta.url), args, { execArgv: ["--conditions=@treadle/source"] });
  const [port] = (await once(child, "message")) as [number];
  return {
    ...serverOf(child, port, files),
    async report() {
      child.send("report");
      const [report] = (await once(child, "message")) as [Report];
      return report;
    },
  };
}

const PEER = new URL("../../../../bench/peers/controller-runtime/", import.meta.url);

/** Builds and starts the server of controller-runtime. Returns undefined where there is no Go. */
export async function startControllerRuntime(): Promise<Server | undefined> {
  const files = await makeFiles();
  const program = join(files.directory, "webhook");
  try {
    execFileSync("go", ["build", "-trimpath", "-o", program, "./webhook"], { cwd: PEER, stdio: "inherit" });
  } catch (error) {
    await files[Symbol.asyncDispose]();
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const port = await freePort();
  const server = serverOf(spawn(program, [String(port), files.directory], { stdio: "inherit" }), port, files);
  for (let tries = 0; tries < 100; tries++) {
    if (
      await server.send("/", Buffer.from("{}")).then(
        () => true,
        () => false,
      )
    )
      return server;
    await sleep(100);
  }
  await server[Symbol.asyncDispose]();
  throw new Error("the server of controller-runtime does not listen");
}

function serverOf(child: ChildProcess, port: number, files: Files): Server {
  const agent = new Agent({ keepAlive: true, maxSockets: 20, ca: files.ca });
  return {
    send: (path, body) =>
      new Promise((resolve, reject) => {
        const headers = { "content-type": "application/json", "content-length": body.length };
        const sent = request({ port, host: "127.0.0.1", path, method: "POST", agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => void chunks.push(chunk));
          response.on("end", () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
        });
        sent.on("error", reject);
        sent.end(body);
      }),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      child.kill();
      await files[Symbol.asyncDispose]();
    },
  };
}

/** Writes a certificate as both servers read it. */
async function makeFiles(): Promise<Files> {
  const directory = await mkdtemp(join(tmpdir(), "treadle-bench-"));
  const { server, caPem } = await makeCertificates(["127.0.0.1"]);
  await writeFile(join(directory, "tls.crt"), server.certPem);
  await writeFile(join(directory, "tls.key"), server.keyPem);
  return { directory, ca: caPem, [Symbol.asyncDispose]: async () => await rm(directory, { recursive: true }) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}
