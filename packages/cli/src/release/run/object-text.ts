/** One object of a run as a sentence. Pure. */
import type { RunObject } from "@treadle/dependents/unstable/run";
import { shown } from "../../cluster/object-name.ts";

export function sentenceOf({ state: { reason, message }, ...object }: RunObject): string {
  const title = shown(object);
  if (message === "") return `${title}: ${reason}`;
  return message.includes(title) ? message : `${title}: ${message}`;
}
