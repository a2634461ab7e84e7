/**
 * How ResourceQuotas count the objects of a kind (kubernetes `pkg/quota/v1`): which resources of a quota count it, which
 * writes can change the count, and how much an object uses.
 */
import type { Amounts } from "../builtin/demands.ts";
import type { JsonObject } from "../internal/json.ts";
import type { Scope } from "./scopes.ts";

/** A write that a quota may limit. */
export interface Counted {
  readonly object: JsonObject;
  /** Absent for a new object. */
  readonly previous: JsonObject | undefined;
  readonly subresource: string;
}

/** The rules of one kind. */
export interface Evaluator {
  /** Reports whether a resource of a quota counts objects of this kind. */
  counts(resource: string): boolean;
  /** Reports whether a write can use more than before. */
  handles(write: Counted): boolean;
  /** Returns what an object uses at a time. */
  usage(object: JsonObject, nowMs: number): Amounts;
  /** Reports whether an object is in a scope. */
  isIn(object: JsonObject, scope: Scope): boolean;
  /** Returns what an object lacks to be counted. */
  problem?(object: JsonObject, resources: readonly string[]): string | undefined;
  /** Reports whether a change can make an object use less, or move it to another scope. Absent: only its deletion can. */
  releases?(object: JsonObject, previous: JsonObject, nowMs: number): boolean;
}
