/** Starts `server.ts` and asks it what it used. */
import { fork } from "node:child_process";
import { once } from "node:events";
import type { Target } from "./load.ts";

export const USER_TOKEN = "bench-user";

export interface MeasuredServer extends Target {
  /** Of all its threads since it began. */
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

/** `isFull`: with rights and garbage collection. */
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
