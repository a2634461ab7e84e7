/** Ends of Helm that the real one has by accident only, played by a script. */
import { chmodSync } from "node:fs";
import path from "node:path";
import { isTerminalError } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { helm } from "../../src/helm/helm.ts";
import { folder } from "../folder.ts";
import { chartYaml } from "./chart-files.ts";
import { contextOf } from "./context.ts";

const owner = { apiVersion: "example.dev/v1", kind: "Shop", metadata: { name: "redis", namespace: "shop", uid: "1" } };
const SECRET = "S3cretValue-71x";

async function failureOf(commands: string): Promise<Error & { readonly code?: string }> {
  const script = path.join(folder({ helm: `#!/bin/sh\nif [ "$1" = version ]; then echo v4.3.1; exit; fi\n${commands}\n` }), "helm");
  chmodSync(script, 0o755);
  const renderer = helm(folder({ "Chart.yaml": chartYaml() }), { values: { password: SECRET } });
  const error: unknown = await Promise.resolve(renderer(owner, contextOf({ helm: script }))).catch((reason: unknown) => reason);
  if (!(error instanceof Error)) throw new Error("the chart rendered");
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(SECRET);
  return error;
}

describe.skipIf(process.platform === "win32")("Helm", () => {
  test.for([
    { name: "crashes", commands: `echo "fatal error: ${SECRET}" >&2; exit 2`, text: "ended with 2" },
    { name: "is killed", commands: "kill -9 $$", text: "ended with SIGKILL" },
  ])("that $name may run again: nothing is remembered", async ({ commands, text }) => {
    const error = await failureOf(commands);
    expect(error.message).toContain(text);
    expect(isTerminalError(error)).toBe(false);
  });

  test("that gives no reason is an error of the chart", async () => {
    expect(await failureOf("exit 1")).toMatchObject({ code: "ChartInvalid", message: expect.stringContaining("Helm gave no reason") });
  });

  test("that repeats the values in an unknown form shows none of them", async () => {
    const error = await failureOf("cat >&2; exit 1");
    expect(error).toMatchObject({ code: "ChartInvalid", message: 'cannot render the chart demo 1.0.0: {"password":"<value>"}' });
  });

  test("whose output has many problems reports the first ones and their number", async () => {
    const error = await failureOf(`for i in 1 2 3 4 5 6 7; do echo "---"; echo "# Source: demo/templates/$i.yaml"; echo "a: b"; done`);
    expect(error.message).toMatch(
      /demo\/templates\/1\.yaml: an object has no kind; .*demo\/templates\/5\.yaml: an object has no kind; and 2 more$/,
    );
  });

  test("gets the values by standard input, and not as an argument or by the environment", async () => {
    const found = `case "$(cat)" in *${SECRET}*) ;; *) exit 4;; esac; case "$* $(env)" in *${SECRET}*) exit 5;; esac; exit 1`;
    expect(await failureOf(found)).toMatchObject({ code: "ChartInvalid" });
  });
});
