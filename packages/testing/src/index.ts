/**
 * `@treadle/testing`: tests of operators without a cluster. `fakeReq` runs one phase of one step, `fakeWorld` whole passes of one
 * handler, and `startTestCluster` operators that run by themselves. All of them use the real engine, client and caches, over
 * an API server in memory. Matchers are in `@treadle/testing/matchers`, fault exploration in `@treadle/testing/explore`.
 */

// The three levels of a test.
export {
  fakeReq,
  type FakeReq,
  type FakeReqObject,
  type FakeReqOptions,
  type PhaseName,
  type RunArgs,
  type RunOptions,
} from "./fake-req.ts";
export { fakeWorld } from "./fake-world.ts";
export type { FakeWorld, FakeWorldOptions } from "./world.ts";
export { startTestCluster } from "./start-test-cluster.ts";
export type { TestCluster, TestClusterOptions } from "./test-cluster.ts";
export type { SettledOptions, StartOptions, TestOperator } from "./test-operator.ts";

// What they have in common.
export type { PassOutcome } from "./internal/pass-outcome.ts";
export type { NewObject, UserActions } from "./internal/user.ts";
export type { RecordedRequest, RequestFilter, RequestLog, RequestObserver, Verb } from "./requests.ts";
export type { LogLine, OperatorOutput, RecordedEvent, RecordedPass, TestEnvironment } from "./test-environment.ts";

// Webhooks.
export type { TestedCallEnv, TestedRegistration, TestedWebhooks } from "./webhooks/tested-webhooks.ts";

// Objects of tests.
export { configMap, type Named, ownerRef, secret, secretText } from "./builders.ts";
export { readyStatus, type ReadyStatusOptions } from "./ready-status.ts";

// Faults.
export type { Fault, FaultName } from "./faults/fault.ts";
export type { FaultHandle, FaultHit, FaultRule, Faults, RandomFaults, WatchEnd } from "./faults/faults.ts";
export { type FaultProxy, type FaultProxyOptions, startFaultProxy } from "./faults/proxy.ts";

// Checks.
export {
  checkRights,
  type CheckRightsOptions,
  type RightsAccount,
  type RightsContext,
  type RightsRun,
  type RightsTarget,
} from "./rights-check.ts";
export {
  checkStatus,
  type CheckStatusOptions,
  type StatusProblem,
  type StatusProblemCode,
  statusProblems,
} from "./status-invariants.ts";
