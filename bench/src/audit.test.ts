import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { auditEnd, requestsOf } from "./audit.ts";

test("counts what the user asked since then; not watches, others, discovery or half a line", () => {
  const dir = mkdtempSync(join(tmpdir(), "audit-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const line = (username: string, verb: string, objectRef?: object): string =>
    `${JSON.stringify({ user: { username }, verb, objectRef })}\n`;
  const file = join(dir, "log");
  expect(auditEnd(file)).toBe(0);
  expect(requestsOf(file, "a", 0)).toEqual({});
  writeFileSync(file, line("a", "patch", { resource: "configmaps" }));
  const since = auditEnd(file);
  const lines = [
    line("a", "patch", { resource: "configmaps" }),
    line("a", "patch", { resource: "configmaps" }),
    line("a", "patch", { resource: "widgets", subresource: "status" }),
    line("a", "watch", { resource: "configmaps" }),
    line("a", "get"),
    line("b", "patch", { resource: "configmaps" }),
    line("a", "patch", { resource: "configmaps" }).slice(0, 40),
  ];
  writeFileSync(file, lines.join(""), { flag: "a" });
  expect(requestsOf(file, "a", since)).toEqual({ "patch configmaps": 2, "patch widgets/status": 1 });
  expect(requestsOf(file, "a", 0)).toEqual({ "patch configmaps": 3, "patch widgets/status": 1 });
});
