/** What a process sees that starts with an older state. */
import { fakeClock, metadataOnly, seededRandom, type Transport } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createClient } from "@treadle/client";
import { createInformers } from "@treadle/informer";
import { expect, test } from "vitest";
import { describeRequest } from "../../src/internal/request-description.ts";
import { StaleStart } from "../../src/explore/stale-start.ts";

test.for([
  { name: "whole objects", of: ConfigMap },
  { name: "metadata", of: metadataOnly(ConfigMap) },
])("the first list of an informer of $name is of the past, a list of a step is not", async ({ of }) => {
  const paths: string[] = [];
  const server: Transport = {
    request: async ({ path }) => {
      paths.push(path);
      const list = { apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "7" }, items: [] };
      return { status: 200, headers: {}, body: JSON.stringify(list) };
    },
    close: async () => undefined,
  };
  const stale = new StaleStart(() => "7");
  const [dying, next] = [{}, {}];
  stale.pass(3);
  stale.plan(3, dying);
  expect(stale.begin(next)).toBe(true);
  const clock = fakeClock();
  const transport = {
    ...server,
    request: (request: Parameters<Transport["request"]>[0]) => stale.request(server, request, describeRequest(request)),
  };
  const client = createClient({ transport, clock });
  await client.list(of);
  expect(paths.filter((path) => path.includes("resourceVersion=7"))).toEqual([]);

  const informers = createInformers({ client, clock, random: seededRandom(1), onError: () => undefined });
  informers.for(of);
  informers.startAll();
  await clock.advance(0);
  await informers.stop();
  expect(paths[1]).toMatch(/[?&]resourceVersion=7&resourceVersionMatch=Exact/);
});
