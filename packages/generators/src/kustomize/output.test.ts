import { isTerminalError } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { MAX_DOCUMENT_LENGTH } from "../files/documents.ts";
import { manifestsIn } from "./output.ts";

const { signal } = new AbortController();
const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

test("a large output lets other work run, and ends with the signal", async () => {
  const output = Array.from({ length: 3_000 }, (_, i) => map(`m-${i}`)).join("---\n");
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  expect(await manifestsIn(output, "/k", signal)).toHaveLength(3_000);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
  const stopped = new Error("stopped");
  await expect(manifestsIn(output, "/k", AbortSignal.abort(stopped))).rejects.toBe(stopped);
});

test("an object that no API server accepts is not read, which would take many seconds", async () => {
  const output = `${map("a")}---\n${map("b")}data:\n${"  a: b\n".repeat(MAX_DOCUMENT_LENGTH / 7)}`;
  const error: unknown = await manifestsIn(output, "/k", signal).catch((reason: unknown) => reason);
  expect(isTerminalError(error)).toBe(true);
  expect(error).toMatchObject({
    code: "KustomizationInvalid",
    message: "kustomize: cannot render /k: object 2 of the output: a document has more than 8 MiB, which no API server accepts",
  });
});
