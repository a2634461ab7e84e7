/** Puts the CRDs of the benchmark on a server. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@treadle/client";
import { crdOf, isKindNotServed } from "treadle";
import type { Blob, Stack, Widget } from "./operators/kinds.ts";

/** Creates the CRD of a kind, and waits until the server serves the kind. */
export async function install(client: Client, kind: typeof Widget | typeof Blob | typeof Stack): Promise<void> {
  const body = JSON.stringify(crdOf(kind));
  const headers = { "content-type": "application/json" };
  await client.raw({ method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", headers, body });
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await client.list(kind, { namespace: "default", limit: 1 });
      return;
    } catch (error) {
      if (!isKindNotServed(error) || Date.now() > deadline) throw error;
      await sleep(200);
    }
  }
}
