/**
 * Bad requests of all types, from the generator of the conformance tests (`conformance/random-input`), against the in-memory
 * server. The conformance tests compare the answers with a real server.
 */
import type { ApiRequest } from "@treadle/apimachinery";
import { crdOf } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { Gadget } from "./conformance/gadget.ts";
import { badRequest, FAMILY_NAMES, type Family } from "./conformance/random-input/requests.ts";
import { collectionOf, SAMPLES } from "./conformance/random-input/samples.ts";
import { harness, type Json } from "./harness.ts";

/** Returns a body as a front passes it on: protobuf with one character for each byte. */
function textOf(body: string | Buffer, type: string): string {
  return typeof body === "string" ? body : body.toString(type === "application/vnd.kubernetes.protobuf" ? "latin1" : "utf8");
}

/** Refusals that occur when the answer is encoded, because it has no such representation. */
const LATE = /you requested PartialObjectMetadata|content is not a list/;

// 1. Every request is answered with a status and, but for Go's own words about paths, with a Status, an object or a list.
// 2. None of them is answered with an internal error: those are defects of this server. (Go has 500s without a reason.)
// 3. A request that is refused, or that only reads or tries, stores nothing; but for those of which only the form is refused.
// 4. What is stored is JSON: it is read back as it was answered, and is itself when it is written and read again.
test.for(FAMILY_NAMES)(
  "%s: no input breaks the server, and a refused request stores nothing",
  { tags: ["part"] },
  async (family: Family, { part }) => {
    const { server, call } = harness({ resources: [crdOf(Gadget)] });
    for (let seed = 0; seed < (family === "deep" ? 100 : 600); seed++) {
      if (!part.has(`${family} ${seed}`)) continue;
      const name = `n${seed}`;
      const bad = badRequest(seed, { namespace: "default", name }, [family]);
      const collection = collectionOf(bad.sample, "default");
      const path = `${collection}/${name}`;
      if (bad.hasObject) expect((await call("POST", collection, bad.object)).status, `${bad.sample.name} ${name}`).toBe(201);
      const before = server.resourceVersion;
      const what = `${family}, seed ${seed}: ${bad.method} ${bad.path} ${(bad.body ?? "").toString().slice(0, 300)}`;
      const controller = new AbortController();
      const answer = await server.handle({
        method: bad.method as ApiRequest["method"], // some are none
        path: bad.path,
        headers: bad.headers,
        signal: controller.signal,
        stream: true,
        ...(bad.body === undefined ? {} : { body: textOf(bad.body, bad.headers["content-type"] ?? "") }),
      });
      controller.abort();
      expect(answer.status, what).toBeGreaterThanOrEqual(200);
      expect(`${answer.body ?? ""}`, what).not.toContain("InternalError");
      // A deletion with a body ignores the query.
      const isWrite = bad.method !== "GET" && bad.method !== "HEAD" && (!bad.path.includes("dryRun=All") || bad.method === "DELETE");
      if ((answer.status >= 300 && !LATE.test(answer.body ?? "")) || !isWrite) expect(server.resourceVersion, what).toBe(before);
      const stored = await call("GET", path);
      if (stored.status !== 200) continue;
      const again = await call("PUT", path, stored.body);
      if (again.status === 200) expect(withoutManagers(again.body), what).toEqual(withoutManagers(stored.body));
      await call("DELETE", path, { gracePeriodSeconds: 0 });
    }
    // The server still works.
    for (const sample of SAMPLES) expect((await call("GET", collectionOf(sample, "default"))).status).toBe(200);
    await server.close();
  },
);

/** Removes managers, because another write may name them. */
function withoutManagers(object: Json): Json {
  const { managedFields: _, resourceVersion: __, ...metadata } = object["metadata"];
  return { ...object, metadata };
}
