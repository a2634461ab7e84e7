/**
 * The profiler in an operator's process, loaded by `--import` before the program. It profiles the main thread from the start, and
 * writes what the harness asks for over the channel of the process. It does not keep the process alive.
 */
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { writeHeapSnapshot } from "node:v8";
import type { ProfileAnswer, ProfileRequest } from "./messages.ts";

const INTERVAL_US = 500;

// Without a channel this process is a child of the operator, and inherited NODE_OPTIONS from it.
if (process.channel !== undefined) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: INTERVAL_US });
  await session.post("Profiler.start");
  process.on("message", (request: ProfileRequest) => {
    answer(session, request)
      .then(() => ({ type: "profiled" }) satisfies ProfileAnswer)
      .catch((error: unknown) => ({ type: "profiled", problem: String(error) }) satisfies ProfileAnswer)
      .then((message) => process.send?.(message))
      .catch(console.error);
  });
  process.channel.unref();
}

async function answer(session: Session, request: ProfileRequest): Promise<void> {
  const { profile } = await session.post("Profiler.stop");
  try {
    if (request.type === "heap") writeHeapSnapshot(request.file);
    else if (request.file !== undefined) writeFileSync(request.file, JSON.stringify(profile));
  } finally {
    await session.post("Profiler.start");
  }
}
