/** What a random request is made from, and what it is. */
import type { Json } from "../session.ts";
import type { Dice } from "./dice.ts";
import type { Sample } from "./samples.ts";

export interface Sent {
  /** The object is there before. */
  readonly hasObject: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Where and under which name. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export interface Given extends Place {
  readonly dice: Dice;
  readonly sample: Sample;
  readonly object: Json;
  readonly collection: string;
}

export const MERGE = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const APPLY = "application/apply-patch+yaml";
