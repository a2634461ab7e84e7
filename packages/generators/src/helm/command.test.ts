import { describe, expect, test } from "vitest";
import { argumentsOf, requireRelease } from "./command.ts";

const release = { name: "redis", namespace: "ns", kubeVersion: "v1.36.3", apiVersions: [], isUpgrade: false };

describe("the command line of helm template", () => {
  test("has the release, and no option in the place of a name", () => {
    expect(argumentsOf("/charts/redis", release)).toEqual([
      "template",
      "--namespace=ns",
      "--include-crds",
      "--kube-version=v1.36.3",
      "--values=-",
      "--",
      "redis",
      "/charts/redis",
    ]);
    expect(argumentsOf("/charts/redis", { ...release, isUpgrade: true })).toContain("--is-upgrade");
  });

  test("has many API versions in arguments that every system accepts", () => {
    const apiVersions = Array.from({ length: 450 }, (_, i) => `group-${i}.example.dev/v1/Kind`);
    const lists = argumentsOf("/c", { ...release, apiVersions }).filter((each) => each.startsWith("--api-versions="));
    expect(lists).toHaveLength(3);
    expect(lists.flatMap((list) => list.slice("--api-versions=".length).split(","))).toEqual(apiVersions);
  });
});

describe("the release", () => {
  test("has the name and the namespace of the placement", () => {
    expect(requireRelease({ name: "a.b-c", namespace: "ns" })).toEqual({ name: "a.b-c", namespace: "ns" });
  });

  test.for([
    { name: "a", namespace: undefined, code: "NamespaceMissing" },
    { name: "a", namespace: "", code: "NamespaceMissing" },
    { name: "a", namespace: "a\0b", code: "NamespaceInvalid" },
    { name: "a", namespace: "--debug", code: "NamespaceInvalid" },
    { name: "a", namespace: "a".repeat(200_000), code: "NamespaceInvalid" },
    { name: "-o", namespace: "ns", code: "NameInvalid" },
    { name: "A", namespace: "ns", code: "NameInvalid" },
    { name: "a".repeat(54), namespace: "ns", code: "NameInvalid" },
    { name: "", namespace: "ns", code: "NameInvalid" },
  ])("of $name in $namespace is refused with the option to set", ({ code, ...given }) => {
    expect(() => requireRelease(given)).toThrow(expect.objectContaining({ code, message: expect.stringContaining("placement") }));
  });
});
