import { describe, expect, test } from "vitest";
import { shownError, withoutWarnings, wordsOf } from "./messages.ts";

describe("an error of Kustomize", () => {
  test.for<[string, string, string]>([
    ["of kustomize", "# Warning: 'bases' is deprecated.\nError: no resource matches", "no resource matches"],
    [
      "of kubectl",
      String.raw`E1123 17:50:57.123456   31059 run.go:72] "command failed" err="no matches for \"ConfigMap\""`,
      'no matches for "ConfigMap"',
    ],
  ])("%s has no warnings and no prefix", ([, stderr, want]) => expect(withoutWarnings(stderr).trim()).toBe(want));

  test("shows words of the files and of Kustomize, and no values", () => {
    const words = wordsOf(["kind: ConfigMap\nmetadata: {name: web}", "a.yaml"]);
    const error =
      "Error: accumulating resources from 'a.yaml': no matches for Id ConfigMap.v1.[noGrp]/web-dG9wLXNlY3JldA.[noNs] with top-secret";
    expect(shownError(error, { words, values: { password: "top-secret", also: "web" } })).toBe(
      "accumulating resources from 'a.yaml': no matches for Id ConfigMap.<value>.[noGrp]/<value>.[noNs] with <value>",
    );
  });
});
