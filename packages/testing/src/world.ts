/** A world: one handler, the objects around it, and time that moves only when the test moves it. */
import type { FakeClock, Kind, KubernetesObject } from "@treadle/apimachinery";
import type { SchedulingOptions } from "@treadle/controller";
import type { PassOutcome } from "./internal/pass-outcome.ts";
import type { UserActions } from "./internal/user.ts";
import type { OperatorOutput, RecordedPass, TestEnvironment } from "./test-environment.ts";
import type { TestedWebhooks } from "./webhooks/tested-webhooks.ts";

/** Options of `fakeWorld`. */
export interface FakeWorldOptions<in T extends KubernetesObject = KubernetesObject> {
  /** Manifests that exist from the start. A missing name is the kind in lower case, a missing namespace `default`. */
  readonly objects?: readonly object[];
  /** Kinds that neither the handler nor a manifest names. */
  readonly kinds?: readonly Kind[];
  /**
   * Webhooks that the server calls, as `webhooks()` of `@treadle/webhooks` returns them, for the objects of the start as well. What they
   * log is in `logs`. @defaultValue none
   */
  readonly webhooks?: readonly TestedWebhooks[];
  /** Kinds that the server does not serve until {@link FakeWorld.install}. */
  readonly missing?: readonly Kind[];
  /** Virtual time. @defaultValue a fake clock that starts at 2026-01-01T00:00:00Z */
  readonly clock?: FakeClock;
  /** Options of `manager.add` that decide which passes run, and when. */
  readonly controller?: SchedulingOptions<T>;
  /** Whether `settled()` checks the status invariants. @defaultValue true */
  readonly checkStatus?: boolean;
  /**
   * Whether the garbage collector deletes objects whose owners no longer exist, as in a cluster. It also deletes objects that
   * were given with an owner that was not. @defaultValue false
   */
  readonly garbageCollection?: boolean;
}

/** One handler, the objects around it, and time that moves only when the test moves it. */
export interface FakeWorld extends TestEnvironment, OperatorOutput, UserActions {
  /**
   * Runs one pass for the key, due or not, after the delivery of all events. A step that waits for time needs {@link advance}
   * meanwhile.
   */
  pass(key: string): Promise<PassOutcome>;
  /**
   * Runs passes in the order in which they became due, until no pass is queued or due now. Time does not move: a pass that is
   * due later stays due, see {@link dueIn}.
   * @throws Error when 1,000 passes of one object do not settle it, when a status breaks an invariant, or when a pass is due
   * while a step of the last pass still runs
   */
  settled(): Promise<void>;
  /** Moves virtual time, in milliseconds. Runs no pass: {@link settled} runs what became due. */
  advance(ms: number): Promise<void>;
  /** Time until the next pass of the key is due, in milliseconds; 0 = due now; undefined: no pass is scheduled. */
  dueIn(key: string): number | undefined;
  /** Every pass so far, oldest first. */
  readonly passes: readonly RecordedPass[];
  /** Installs the CRD of a missing kind. */
  install(kind: Kind): Promise<void>;
  /** Checks the status of every primary. @throws Error when a status breaks an invariant (docs/status-invariants.md) */
  checkStatus(): Promise<void>;
  /** Virtual time. */
  readonly clock: FakeClock;
}
