/**
 * Digests of a real server's answers to random sequences, which show that an answer changed. Operations follow from seeds, so
 * they are not stored. Their digest shows whether the generator changed.
 */
import { createHash } from "node:crypto";
import type { Transport } from "@treadle/apimachinery";
import { sequenceOf } from "./generate.ts";
import { type Kind, KINDS } from "./kinds.ts";
import { type Answer, play } from "./play.ts";

const GOLDEN_LENGTH = 12;
const GOLDEN_SEQUENCES = 200;

/** Returns one line for each sequence: `kind seed operations:answer,answer,...` */
export async function golden(place: { readonly transport: Transport; readonly namespace: string }): Promise<string> {
  const lines: string[] = [];
  for (let i = 0; i < GOLDEN_SEQUENCES; i++) {
    // Half of them use the custom kind, which has all features.
    const kind = (i % 2 === 0 ? KINDS[0] : KINDS[1 + ((i >> 1) % (KINDS.length - 1))]) as Kind; // in range
    lines.push(`${kind.name} ${i} ${(await digests(kind, i, { ...place, name: `g${i}` })).join(" ")}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Returns the digest of the operations and those of the answers. */
export async function digests(
  kind: Kind,
  seed: number,
  place: { readonly transport: Transport; readonly namespace: string; readonly name: string },
): Promise<readonly string[]> {
  const operations = sequenceOf(kind, seed, GOLDEN_LENGTH);
  const answers = await play(kind, operations, place);
  return [digest(operations), ...answers.map((answer) => `${answer.status}:${digest(withoutName(answer, place.name))}`)];
}

/** Removes names of objects and namespaces, which differ in each run. */
function withoutName(answer: Answer, name: string): string {
  return JSON.stringify(answer)
    .replaceAll(new RegExp(`\\b${name}\\b`, "g"), "<name>")
    .replaceAll(/random-[a-z0-9]+/g, "<namespace>");
}

function digest(value: unknown): string {
  return createHash("sha256")
    .update(typeof value === "string" ? value : JSON.stringify(value))
    .digest("hex")
    .slice(0, 8);
}
