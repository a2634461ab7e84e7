/** The options of a component as its step runs them. Types only. */
import type { Declared } from "@treadle/reconcile";
import type { AnyKindRecord } from "./kinds/kind-record.ts";

/** The options of a component with any types. */
export interface AnyComponentOptions {
  readonly name: string;
  readonly condition: Declared<string>;
  readonly resources: readonly unknown[];
  readonly enabled?: AnyGates;
  readonly after?: readonly unknown[];
  readonly until?: (object: unknown, inputs: unknown) => unknown;
  readonly needs?: readonly unknown[];
  readonly reads?: Readonly<Record<string, unknown>>;
  readonly suspended?: AnyGates;
  readonly graceMs?: number;
  readonly warnOfGrace?: boolean;
  readonly blocked?: "rest" | "dependants";
  readonly kinds?: readonly AnyKindRecord[];
}

/** Gates with any types. */
export type AnyGates = AnyGate | readonly AnyGate[];
type AnyGate = (...args: readonly unknown[]) => boolean | undefined;
