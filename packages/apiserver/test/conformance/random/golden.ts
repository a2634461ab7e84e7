/**
 * Answers of a real server to random sequences, as short digests: enough to see that an answer is another one. Operations follow
 * from seeds, so they are not stored; a digest of them tells a changed generator from a changed answer.
 */
import { createHash } from "node:crypto";
import type { Transport } from "@treadle/apimachinery";
import { sequenceOf } from "./generate.ts";
import { type Kind, KINDS } from "./kinds.ts";
import { type Answer, play } from "./play.ts";

const GOLDEN_LENGTH = 12;
const GOLDEN_SEQUENCES = 200;

/** One line for each sequence: `kind seed operations:answer,answer,...` */
export async function golden(place: { readonly transport: Transport; readonly namespace: string }): Promise<string> {
  const lines: string[] = [];
  for (let i = 0; i < GOLDEN_SEQUENCES; i++) {
    // Half of them on the custom kind, which has everything.
    const kind = (i % 2 === 0 ? KINDS[0] : KINDS[1 + ((i >> 1) % (KINDS.length - 1))]) as Kind; // in range
    lines.push(`${kind.name} ${i} ${(await digests(kind, i, { ...place, name: `g${i}` })).join(" ")}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The digest of the operations and those of the answers. */
export async function digests(
  kind: Kind,
  seed: number,
  place: { readonly transport: Transport; readonly namespace: string; readonly name: string },
): Promise<readonly string[]> {
  const operations = sequenceOf(kind, seed, GOLDEN_LENGTH);
  const answers = await play(kind, operations, place);
  return [digest(operations), ...answers.map((answer) => `${answer.status}:${digest(withoutName(answer, place.name))}`)];
}

/** Names of objects and namespaces differ from run to run. */
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
