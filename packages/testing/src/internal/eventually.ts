/** Polling: what a real server does besides answering cannot be awaited otherwise. */
import { setTimeout as delay } from "node:timers/promises";

/** Asks until it is so. @throws Error that says what did not come of whom */
export async function eventually(whom: string, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`${whom}: waited ${PATIENCE_MS / 1000} s for ${what}`);
    await delay(POLL_MS);
  }
}

const POLL_MS = 25;
/** A namespace takes several seconds to go, and more on a busy machine. */
const PATIENCE_MS = 120_000;
