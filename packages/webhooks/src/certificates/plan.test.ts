import { expect, test } from "vitest";
import { CA_MS, decide, GRACE_MS, type PlanState, SERVING_MS, SETTLE_MS, type TargetView } from "./plan.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = 10_000 * DAY;

const ca = (id: string, ageMs = 0, more: object = {}): PlanState["previous"][number] => ({
  id,
  startsMs: NOW - ageMs,
  endsMs: NOW - ageMs + CA_MS,
  canSign: true,
  ...more,
});
const cert = (issuer: string, ageMs = 0, more: object = {}): NonNullable<PlanState["serving"]> => ({
  issuer,
  startsMs: NOW - ageMs,
  endsMs: NOW - ageMs + SERVING_MS,
  hasNames: true,
  ...more,
});
const present = (trusted: readonly string[], more: object = {}): TargetView => ({
  type: "present",
  key: "a",
  trusted,
  isExact: true,
  trustsOthers: false,
  retryAtMs: 0,
  ...more,
});
const absent: TargetView = { type: "absent", key: "a" };
const unread: TargetView = { type: "unread", key: "a", retryAtMs: NOW + 5 };
const state = (given: Partial<PlanState>): PlanState => ({
  authority: ca("new"),
  previous: [],
  previousUntilMs: undefined,
  serving: undefined,
  faults: [],
  targets: [],
  agreedSinceMs: undefined,
  repairAtMs: 0,
  jitterMs: 0,
  ...given,
});
const rotating = (given: Partial<PlanState>): PlanState =>
  state({ previous: [ca("old", CA_MS * 0.7)], serving: cert("old", 10 * DAY), targets: [present(["new", "old"])], ...given });

test.for<{ name: string; given: PlanState; want: object }>([
  {
    name: "an empty Secret gets an authority, which is no repair",
    given: state({ authority: undefined }),
    want: { type: "replaceAuthority", isRepair: false },
  },
  {
    name: "a half authority is replaced, and the fault is named",
    given: state({ authority: ca("x", 0, { canSign: false }), faults: ["ca.key is missing"] }),
    want: { type: "replaceAuthority", isRepair: true, reason: "ca.key is missing" },
  },
  {
    name: "an expired authority is replaced as a repair",
    given: state({ authority: ca("x", CA_MS) }),
    want: { type: "replaceAuthority", isRepair: true, reason: "the authority in ca.crt has expired" },
  },
  {
    name: "an authority that is not valid yet is replaced",
    given: state({ authority: ca("x", -DAY) }),
    want: { type: "replaceAuthority", isRepair: true, reason: "the authority in ca.crt is not valid yet" },
  },
  {
    name: "a repair waits for its time",
    given: state({ authority: undefined, faults: ["ca.crt is missing"], repairAtMs: NOW + 7 }),
    want: { type: "wait", untilMs: NOW + 7 },
  },
  {
    name: "an authority is replaced after two thirds of its time",
    given: state({ authority: ca("x", (CA_MS * 2) / 3), serving: cert("x") }),
    want: { type: "replaceAuthority", isRepair: false },
  },
  {
    name: "the jitter of the pod delays the replacement",
    given: state({ authority: ca("x", (CA_MS * 2) / 3), serving: cert("x"), jitterMs: DAY }),
    want: { type: "wait", untilMs: NOW + DAY },
  },
  {
    name: "a configuration that lacks the authority gets it before a certificate is issued",
    given: rotating({ targets: [present(["old"], { isExact: false })] }),
    want: { type: "inject", keys: ["a"] },
  },
  {
    name: "a configuration that trusts too much is corrected",
    given: state({ serving: cert("new"), targets: [present(["new"], { isExact: false })] }),
    want: { type: "inject", keys: ["a"] },
  },
  {
    name: "the first certificate is issued at once",
    given: state({ targets: [present(["new"])], agreedSinceMs: NOW }),
    want: { type: "issue", by: "authority" },
  },
  {
    name: "a configuration that does not exist delays no certificate",
    given: state({ targets: [absent] }),
    want: { type: "issue", by: "authority" },
  },
  {
    name: "a configuration that cannot be read delays the first certificate",
    given: state({ targets: [unread] }),
    want: { type: "wait", untilMs: NOW + 5 },
  },
  {
    name: "a configuration that cannot be written does not delay the first certificate",
    given: state({ targets: [present([], { isExact: false, retryAtMs: NOW + 9 })] }),
    want: { type: "issue", by: "authority", reason: "there is no certificate yet" },
  },
  {
    name: "a configuration that cannot be written delays it when another one was not read",
    given: state({ targets: [present([], { isExact: false, retryAtMs: NOW + 9 }), unread] }),
    want: { type: "wait", untilMs: NOW + 5 },
  },
  {
    name: "a configuration that trusts an unknown authority delays the first certificate",
    given: state({ targets: [present([], { isExact: false, trustsOthers: true, retryAtMs: NOW + 9 })] }),
    want: { type: "wait", untilMs: NOW + 9 },
  },
  {
    name: "a configuration that cannot be written delays a certificate while a previous authority exists",
    given: rotating({ serving: undefined, targets: [present([], { isExact: false, retryAtMs: NOW + 9 })] }),
    want: { type: "issue", by: "previous" },
  },
  {
    name: "a new authority issues after the API servers had time to notice the bundles",
    given: rotating({ agreedSinceMs: NOW - 1000 }),
    want: { type: "wait", untilMs: NOW - 1000 + SETTLE_MS },
  },
  {
    name: "a new authority issues when every configuration has trusted it for a while",
    given: rotating({ agreedSinceMs: NOW - SETTLE_MS }),
    want: { type: "issue", by: "authority", reason: "the authority is new" },
  },
  {
    name: "a new authority does not issue while one configuration lacks it",
    given: rotating({ targets: [present(["old"], { isExact: false, retryAtMs: NOW + DAY })] }),
    want: { type: "wait", untilMs: NOW + DAY },
  },
  {
    name: "the previous authority renews a certificate that is due while one configuration lacks the new one",
    given: rotating({ serving: cert("old", 61 * DAY), targets: [present(["old"], { isExact: false, retryAtMs: NOW + DAY })] }),
    want: { type: "issue", by: "previous" },
  },
  {
    name: "a certificate that ends with the previous authority is not renewed by it again and again",
    given: rotating({
      previous: [ca("old", CA_MS - DAY)],
      serving: { issuer: "old", startsMs: NOW - 2 * DAY, endsMs: NOW + DAY, hasNames: true },
      targets: [present(["old"], { isExact: false, retryAtMs: NOW + DAY })],
    }),
    want: { type: "wait" },
  },
  {
    name: "a certificate is renewed after two thirds of its time",
    given: state({ serving: cert("new", 60 * DAY) }),
    want: { type: "issue", by: "authority", reason: "two thirds of its time are over", keepsNames: false },
  },
  {
    name: "a certificate is renewed although a configuration lacks its authority",
    given: state({ serving: cert("new", 60 * DAY), targets: [present([], { isExact: false, retryAtMs: NOW + 1 })] }),
    want: { type: "issue", by: "authority" },
  },
  {
    name: "a certificate without a name of the server is issued again and keeps its names",
    given: state({ serving: cert("new", DAY, { hasNames: false }) }),
    want: { type: "issue", by: "authority", keepsNames: true },
  },
  {
    name: "a broken certificate is issued again, and the fault is named",
    given: state({ faults: ["tls.key does not fit tls.crt"] }),
    want: { type: "issue", reason: "tls.key does not fit tls.crt" },
  },
  {
    name: "the previous authority stays until its time",
    given: rotating({ serving: cert("new"), previousUntilMs: NOW + GRACE_MS }),
    want: { type: "wait", untilMs: NOW + GRACE_MS },
  },
  {
    name: "the previous authority is dropped at its time",
    given: rotating({ serving: cert("new"), previousUntilMs: NOW }),
    want: { type: "dropPrevious" },
  },
  {
    name: "the previous authority is not dropped while its certificate is served",
    given: rotating({ previousUntilMs: NOW - 1, agreedSinceMs: NOW }),
    want: { type: "wait", untilMs: NOW + SETTLE_MS },
  },
  {
    name: "nothing is done in steady state until the certificate is due",
    given: state({ serving: cert("new"), targets: [present(["new"])] }),
    want: { type: "wait", untilMs: NOW + 60 * DAY },
  },
])("$name", ({ given, want }) => {
  expect(decide(given, NOW)).toMatchObject(want);
});
