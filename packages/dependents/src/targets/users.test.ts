import { Secret } from "@treadle/apimachinery/kinds";
import { one } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { impersonationRights } from "./permissions.ts";
import { targets } from "./targets.ts";
import type { TargetAllowance, TargetUser } from "./types.ts";
import { resolveUser, serviceAccount, user } from "./users.ts";

const owner = { apiVersion: "example.dev/v1", kind: "Tenant", metadata: { name: "a", namespace: "team", uid: "u" } };

interface Row {
  readonly name: string;
  readonly as: TargetUser;
  readonly groups?: readonly string[];
  readonly allow?: TargetAllowance;
  /** The user; `undefined`: refused. */
  readonly want: string | undefined;
}

const rows: readonly Row[] = [
  { name: "a service account is in the namespace of the owner", as: serviceAccount("sa"), want: "system:serviceaccount:team:sa" },
  { name: "code names another namespace", as: serviceAccount("sa", { namespace: "ops" }), want: "system:serviceaccount:ops:sa" },
  { name: "a service account with a colon is refused", as: serviceAccount("ops:admin"), want: undefined },
  { name: "a service account with a slash is refused", as: serviceAccount("ops/admin"), want: undefined },
  { name: "a service account without a name is refused", as: serviceAccount(""), want: undefined },
  { name: "a namespace with a colon is refused", as: serviceAccount("a", { namespace: "b:c" }), want: undefined },
  {
    name: "a listed service account is allowed",
    as: serviceAccount("sa"),
    allow: { serviceAccounts: ["sa"] },
    want: "system:serviceaccount:team:sa",
  },
  { name: "a service account that is not listed is refused", as: serviceAccount("b"), allow: { serviceAccounts: ["sa"] }, want: undefined },
  { name: "a user is allowed", as: user("jane"), want: "jane" },
  { name: "a system user is refused", as: user("system:admin"), want: undefined },
  { name: "a service account as a user is refused", as: user("system:serviceaccount:ops:admin"), want: undefined },
  { name: "a listed system user is allowed", as: user("system:admin"), allow: { users: ["system:admin"] }, want: "system:admin" },
  { name: "a user that is not listed is refused", as: user("joe"), allow: { users: ["jane"] }, want: undefined },
  { name: "a system user after a space is refused", as: user(" system:admin"), want: undefined },
  { name: "a system user before a line break is refused", as: user("system:admin\n"), want: undefined },
  { name: "a system user after a tab is refused", as: user("\tsystem:admin"), want: undefined },
  { name: "an empty user is refused", as: user(""), want: undefined },
  { name: "a group is allowed", as: user("jane"), groups: ["dev"], want: "jane" },
  { name: "a system group is refused", as: user("jane"), groups: ["system:masters"], want: undefined },
  { name: "a system group after a space is refused", as: user("jane"), groups: [" system:masters"], want: undefined },
  { name: "a system group after a comma is refused", as: user("jane"), groups: ["dev, system:masters"], want: undefined },
  {
    name: "a listed system group is allowed",
    as: user("jane"),
    groups: ["system:masters"],
    allow: { groups: ["system:masters"] },
    want: "jane",
  },
  { name: "a group that is not listed is refused", as: user("jane"), groups: ["ops"], allow: { groups: ["dev"] }, want: undefined },
];

test.for(rows)("$name", ({ as, groups = [], allow, want }) => {
  const resolved = resolveUser(owner, as, { groups, allow });
  expect(resolved.type === "allowed" ? resolved.as.user : undefined).toBe(want);
});

test("a service account of an owner without a namespace needs one from the code", () => {
  const cluster = { ...owner, metadata: { name: "a", uid: "u" } };
  expect(resolveUser(cluster, serviceAccount("sa"), { groups: [], allow: undefined }).type).toBe("refused");
});

describe("a target in the cluster of the operator", () => {
  const identify = (clusters: ReturnType<typeof targets>, options: Parameters<typeof clusters.target>[0]) =>
    clusters.target(options).definition.identify(owner, undefined);

  test("takes the default service account where the owner names none", () => {
    const clusters = targets({ defaultServiceAccount: "deployer" });
    const want = { type: "known", as: { user: "system:serviceaccount:team:deployer" } };
    expect(identify(clusters, {})).toMatchObject(want);
    expect(identify(clusters, { as: () => undefined })).toMatchObject(want);
    expect(identify(clusters, { as: () => undefined, allow: { serviceAccounts: ["other"] } })).toMatchObject(want);
  });

  test("is refused where the owner names no user and there is no default", () => {
    expect(identify(targets(), { as: () => undefined })).toMatchObject({ type: "refused", reason: "TargetRefused" });
  });

  test("without any user is a mistake in the code", () => {
    expect(() => targets().target({})).toThrow(TypeError);
    expect(() => targets().target({ groups: () => ["a"] })).toThrow(TypeError);
  });

  test("with groups that the code does not list is a mistake in the code, because the right on all groups makes an administrator", () => {
    const given = { as: () => user("jane"), groups: () => ["dev"] };
    expect(() => targets().target(given)).toThrow(/allow\.groups/);
    const { definition } = targets().target({ ...given, allow: { groups: ["dev"] } });
    expect(definition.permissions.filter(({ names }) => names === undefined).map(({ kind }) => kind.plural)).toEqual(["serviceaccounts"]);
    const kubeconfig = one(Secret, () => "remote");
    expect(targets().target({ ...given, kubeconfig }).definition.permissions).toEqual([]);
  });
});

describe("the right to impersonate", () => {
  const rights = (given: Partial<Parameters<typeof impersonationRights>[0]>): readonly string[] =>
    impersonationRights({ hasUser: true, allow: undefined, defaultServiceAccount: undefined, ...given }).map(
      ({ kind, verbs, names, because }) =>
        `${verbs.join()} ${kind.plural} ${names?.join() ?? "*"} ${because === undefined ? "" : "explained"}`,
    );

  test("is on all service accounts for a function without a list", () => {
    expect(rights({})).toEqual(["impersonate serviceaccounts * explained"]);
  });

  test("is on what the code lists", () => {
    expect(rights({ allow: { serviceAccounts: ["a"], users: ["b"], groups: ["c"] }, defaultServiceAccount: "d" })).toEqual([
      "impersonate serviceaccounts a,d explained",
      "impersonate users b explained",
      "impersonate groups c explained",
    ]);
  });

  test("is on the default service account alone without a function", () => {
    expect(rights({ hasUser: false, defaultServiceAccount: "d" })).toEqual(["impersonate serviceaccounts d explained"]);
  });

  test("is on no service account where the code lists users only", () => {
    expect(rights({ allow: { users: ["b"] } })).toEqual(["impersonate users b explained"]);
  });
});
