/** Ends of Kustomize and Helm that the real ones have by accident only, played by a script. */
import { chmodSync } from "node:fs";
import path from "node:path";
import { isTerminalError } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { kustomize } from "../../src/kustomize/kustomize.ts";
import { contextOf } from "../helm/context.ts";
import { folder } from "../folder.ts";

const owner = { apiVersion: "example.dev/v1", kind: "Web", metadata: { name: "web", namespace: "shop", uid: "1" } };
const files = { "kustomization.yaml": "resources: [a.yaml]", "a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}" };

describe.skipIf(process.platform === "win32")("a folder whose program does not end by itself may be rendered again", () => {
  test.for([
    { name: "kustomize is killed", template: false, commands: "kill -9 $$", text: "kustomize v5.8.2 ended with SIGKILL" },
    { name: "kustomize crashes", template: false, commands: "exit 2", text: "kustomize v5.8.2 ended with 2" },
    { name: "helm is killed", template: true, commands: "kill -9 $$", text: "helm v4.3.1 ended with SIGKILL" },
  ])("$name", async ({ template, commands, text }) => {
    const script = path.join(
      folder({ program: `#!/bin/sh\nif [ "$1" = version ]; then echo v${template ? "4.3.1" : "5.8.2"}; exit; fi\n${commands}\n` }),
      "program",
    );
    chmodSync(script, 0o755);
    const root = folder(template ? { ...files, "b.yaml": "# {{ .Values.name }}" } : files);
    const context = contextOf({ helm: script, kustomize: script });
    const error: unknown = await Promise.resolve(kustomize(root, { template })(owner, context)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: text });
    expect(isTerminalError(error)).toBe(false);
  });
});
