/** Polling of a real server, whose own actions cannot be awaited. */
import { setTimeout as delay } from "node:timers/promises";

/** Polls until `isSo` returns true. @throws Error that names the server and what it waited for */
export async function eventually(server: string, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`${server}: waited ${PATIENCE_MS / 1000} s for ${what}`);
    await delay(POLL_MS);
  }
}

const POLL_MS = 25;
/** The deletion of a namespace takes several seconds, and more on a busy machine. */
const PATIENCE_MS = 120_000;
