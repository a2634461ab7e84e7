/** The built-in kinds, compared with the discovery of a server: the one in memory, and a real one. */
import { discovery } from "@treadle/client";
import { startTestCluster } from "@treadle/testing";
import type { Kind } from "treadle";
import * as kinds from "treadle/kinds";
import { expect, test } from "vitest";

/** Kinds of stable versions that are left out: `Event` of events.k8s.io is the one to use, and Kubernetes deprecates the other. */
const LEFT_OUT = ["v1 Event", "v1 ComponentStatus", "autoscaling/v1 HorizontalPodAutoscaler"];

/** Kinds that the oldest supported version does not serve in a stable version. */
const NEWER = [
  "DeviceClass",
  "IPAddress",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "ResourceClaim",
  "ResourceClaimTemplate",
  "ResourceSlice",
  "ServiceCIDR",
  "VolumeAttributesClass",
];

test("each built-in kind is served by its group, version, plural and scope", async () => {
  await using cluster = await startTestCluster();
  const served = discovery(cluster.client);
  const wrong: string[] = [];
  for (const known of Object.values<Kind>(kinds)) {
    const { group, version, kind, plural, scope } = known;
    const found = await served.find({ group, version, kind });
    if (found === undefined && NEWER.includes(kind)) continue;
    if (found?.plural !== plural || found.scope !== scope)
      wrong.push(`${group}/${version} ${kind}: ${plural}, ${scope}; the server has ${found?.plural}, ${found?.scope}`);
  }
  expect(wrong).toEqual([]);
});

test("each kind that a server stores in a stable version is a built-in kind", async () => {
  await using cluster = await startTestCluster();
  const stored = (await discovery(cluster.client).kinds()).filter(
    ({ group, version, verbs }) => /^v\d+$/.test(version) && isBuiltIn(group) && verbs.includes("list"),
  );
  expect(stored.length).toBeGreaterThan(40);
  const names = stored.map(({ group, version, kind }) => `${group === "" ? "" : `${group}/`}${version} ${kind}`);
  const known = Object.values<Kind>(kinds).map(({ group, version, kind }) => `${group === "" ? "" : `${group}/`}${version} ${kind}`);
  expect(names.filter((name) => !known.includes(name) && !LEFT_OUT.includes(name))).toEqual([]);
});

/** The groups of Kubernetes itself; those of CRDs are domains elsewhere. */
function isBuiltIn(group: string): boolean {
  return !group.includes(".") || group.endsWith(".k8s.io");
}
