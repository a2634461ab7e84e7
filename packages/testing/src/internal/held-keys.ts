/** Waits for the steps that outlived their pass: until they return, no pass of the same object may start. */
import type { HandlerDriver } from "@treadle/controller/unstable/driver";
import { until } from "./turns.ts";

/** Real time in which such a step must return: less than the time limit of a test, so that the test shows the error. */
const HELD_MS = 1_000;

/** Waits until no step of the last pass of one of the keys still runs. @throws Error that names the keys, after a second of real time */
export async function freed(driver: HandlerDriver, method: string, keys: () => readonly string[]): Promise<void> {
  const advice = "return from the step when req.signal is aborted, or call advance() meanwhile if the step waits for time";
  await until(
    () => keys().some((key) => !driver.isHeld(key)),
    () => `fakeWorld.${method}: cannot start a pass for ${keys().join(", ")}: a step of the last pass still runs: ${advice}`,
    HELD_MS,
  );
}

/** Returns the keys that are due, held or not. */
export function queuedKeys(queue: HandlerDriver["queue"]): readonly string[] {
  return queue.keys(Number.POSITIVE_INFINITY).queued.map(({ key }) => key);
}
