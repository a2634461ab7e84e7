/** `@treadle/managed/testing`: tools for tests of managed resources. */
export { type FakeFailure, FakeProviderError, type FakeVerb } from "./fake-errors.ts";
export type { FakeItem, FakeTimes, SomeOf } from "./fake-items.ts";
export {
  type FakeCall,
  type FakeCallArgs,
  type FakeCreated,
  type FakeFunctions,
  type FakeHook,
  fakeProvider,
  type FakeProvider,
  type FakeProviderOptions,
  type FakeSeen,
} from "./fake-provider.ts";
export type { ContractProblem, ContractRule } from "./contract-probe.ts";
export { ContractError, managedContract, type ContractWorld, type StepWorld } from "./managed-contract.ts";
