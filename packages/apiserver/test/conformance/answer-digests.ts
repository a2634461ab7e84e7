/** Digests of answers, so that those of a real server can be stored with a test. */
import { createHash } from "node:crypto";
import type { Transport } from "@treadle/apimachinery";
import { play } from "./compare.ts";
import { normalise } from "./normalise.ts";
import type { Scenario } from "./session.ts";

/** Returns a line for each answer: status, digest and the name of the step. */
export async function recordDigests(scenarios: readonly Scenario[], transport: Transport, run: string): Promise<string> {
  const answers = normalise(await play(scenarios, transport, run));
  const lines = answers.map(({ name, status, headers, body }) => {
    // The name of a namespace contains that of the run.
    const text = JSON.stringify({ status, headers, body }).replaceAll(`-${run}`, "-<run>");
    return `${status} ${createHash("sha256").update(text).digest("base64url").slice(0, 16)} ${name}`;
  });
  return `${lines.join("\n")}\n`;
}
