/** Starts `server.ts` in a process, and asks for its processor time. */
import { fork } from "node:child_process";
import { once } from "node:events";
import type { Target } from "./load.ts";

export const USER_TOKEN = "bench-user";

export interface MeasuredServer extends Target {
  /** Processor time of all its threads since the start. */
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** With authorization and garbage collection. */
  readonly isFull?: boolean;
  /** Over HTTPS. */
  readonly isSecure?: boolean;
}

/** Starts the server. */
export async function startServer({ isFull = false, isSecure = false }: ServerOptions = {}): Promise<MeasuredServer> {
  const options = JSON.stringify({ isFull, isSecure });
  const child = fork(new URL("./server.ts", import.meta.url), [options], { execArgv: ["--conditions=@treadle/source"] });
  const [{ url, caPem }] = (await once(child, "message")) as [{ url: string; caPem?: string }];
  return {
    url,
    ...(caPem === undefined ? {} : { tls: { ca: Buffer.from(caPem) } }),
    ...(isFull ? { headers: { authorization: `Bearer ${USER_TOKEN}` } } : {}),
    cpuMicros: async () => {
      const answer = once(child, "message");
      child.send("usage");
      const [{ cpuMicros }] = (await answer) as [{ cpuMicros: number }];
      return cpuMicros;
    },
    stop: async () => {
      const exit = once(child, "exit");
      child.disconnect();
      await exit;
    },
  };
}
