import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { requestsOf } from "./audit.ts";

test("counts what the user asked between two moments; not watches, others, discovery or half a line", () => {
  const dir = mkdtempSync(join(tmpdir(), "audit-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const line = (username: string, verb: string, second: number, objectRef?: object): string =>
    JSON.stringify({ user: { username }, verb, objectRef, stageTimestamp: `2026-01-01T00:00:0${second}.5Z` });
  const lines = [
    line("a", "patch", 1, { resource: "configmaps" }),
    line("a", "patch", 2, { resource: "configmaps" }),
    line("a", "patch", 2, { resource: "widgets", subresource: "status" }),
    line("a", "patch", 9, { resource: "configmaps" }),
    line("a", "watch", 2, { resource: "configmaps" }),
    line("a", "get", 2),
    line("b", "patch", 2, { resource: "configmaps" }),
    line("a", "patch", 2, { resource: "configmaps" }).slice(0, 40),
  ];
  const file = join(dir, "log");
  writeFileSync(file, lines.join("\n"));
  const [from, to] = [Date.parse("2026-01-01T00:00:00Z"), Date.parse("2026-01-01T00:00:05Z")];
  expect(requestsOf(file, "a", from, to)).toEqual({ "patch configmaps": 2, "patch widgets/status": 1 });
});
