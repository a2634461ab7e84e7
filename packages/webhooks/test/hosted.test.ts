/** Webhooks of a program that a tool hosts: they are where the host says, whatever the program asks for. */
import { hostManagers } from "@treadle/controller/unstable/host";
import { defineResource } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { settlePlacement } from "../src/placement.ts";
import { hostedOptions } from "../src/server/hosted-options.ts";
import { webhooks, webhookServer } from "../src/index.ts";

const service = { name: "website-operator", namespace: "ops" };
const Site = defineResource({ group: "hosted.example.dev", version: "v1", kind: "Site", scope: "Namespaced", spec: z.object({}) });
const site = webhooks(Site, { problems: () => [] });

test("a hosted server registers itself at the address of the host, with certificates of its own", () => {
  const endpoint = { url: "https://127.0.0.1:4711", host: "127.0.0.1", port: 4711 };
  const given = { service, port: 9443, tls: { certFile: "/tls.crt", keyFile: "/tls.key" }, maxBytes: 5 } as const;
  expect(hostedOptions(given, settlePlacement({ service }, "test"), endpoint)).toEqual({
    maxBytes: 5,
    graceMs: 0,
    name: "website-operator",
    secretName: "website-operator-webhook-certificate",
    namespace: "default",
    ...endpoint,
    install: true,
    createSecret: true,
  });
});

test("a hosted server that the API server cannot reach listens nowhere, and says so", async () => {
  hostManagers({ starting: () => Promise.reject(new Error("not asked")), endpoint: () => undefined });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, Symbol.for("@treadle/controller/host-managers")));
  const server = webhookServer([site], { service });
  const lines: string[] = [];
  const log = { warn: (_: object, text: string) => void lines.push(text) };
  // It uses nothing else of its environment.
  await server.start(new AbortController().signal, { log } as unknown as Parameters<typeof server.start>[1]);
  expect([server.address, lines]).toEqual([undefined, ["the webhooks are not served, because the API server cannot reach this machine"]]);
  await server.stop?.();
});
