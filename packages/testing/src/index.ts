export { type FakeClock, fakeClock, seededRandom } from "@treadle/apimachinery";
export { configMap, type Named, ownerRef, secret, secretText } from "./builders.ts";
export type { Fault, FaultName } from "./faults/fault.ts";
export type { FaultHandle, FaultRule, Faults, RandomFaults, Struck, WatchEnd } from "./faults/faults.ts";
export { type FaultProxy, type FaultProxyOptions, startFaultProxy } from "./faults/proxy.ts";
export { fakeReq, type FakeReq, type FakeReqWorld, type Given, type PhaseName, type RunArgs, type RunOptions } from "./fake-req.ts";
export { fakeWorld, type FakeWorld, type FakeWorldOptions, type PassOutcome, type WorldPass } from "./fake-world.ts";
export type { LogLine } from "./internal/log-recorder.ts";
export type { ToCreate, UserActions } from "./internal/user.ts";
export type { RecordedRequest, RequestFilter, RequestLog, RequestObserver, Verb } from "./requests.ts";
export { checkRights, type CheckRightsOptions, type RightsRun, type RightsStory } from "./rights-check.ts";
export {
  checkStatus,
  type CheckStatusOptions,
  requireValidStatus,
  type StatusProblem,
  type StatusProblemCode,
} from "./status-invariants.ts";
export { startTestCluster, type TestCluster, type TestClusterOptions } from "./test-cluster.ts";
export type { SettledOptions, StartOptions, TestOperator } from "./test-operator.ts";
export type { UndeclaredUse } from "@treadle/reconcile";
