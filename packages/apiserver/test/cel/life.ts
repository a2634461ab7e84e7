/** The conformance scenarios about rules as short answers: the code, the message, the warnings. */
import type { Transport } from "@treadle/apimachinery";
import { play } from "../conformance/compare.ts";
import { rules } from "../conformance/scenarios/rules.ts";

export type LifeAnswer = readonly [step: string, status: number, message: string, warning: string];

export async function playLife(transport: Transport): Promise<readonly LifeAnswer[]> {
  const answers = await play(rules, transport, Date.now().toString(36));
  return answers.map(({ scenario, step, status, headers, body }) => {
    const { message } = body as { readonly message?: string };
    return [`${scenario}: ${step}`, status, message ?? "", headers["warning"] ?? ""];
  });
}
