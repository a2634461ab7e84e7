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

/** Starts the server. `isFull`: with authorization and garbage collection. */
export async function startServer({ isFull = false }: { readonly isFull?: boolean } = {}): Promise<MeasuredServer> {
  const child = fork(new URL("./server.ts", import.meta.url), [JSON.stringify({ isFull })], { execArgv: ["--conditions=@treadle/source"] });
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  return {
    url,
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
