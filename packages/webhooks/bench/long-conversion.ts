/**
 * Conversions over TLS: 500 objects of 5 KB, and 10,000 of them (50 MB). Reports the time until the answer is complete, and the longest
 * turn of the event loop of the operator. The operator is a process of its own. Goal: slices of at most 10 ms.
 */
import { siteOf } from "./programs/kinds.ts";
import { startOperator } from "./programs/start.ts";

const PATH = "/convert/bench.treadle.dev/sites";

await using operator = await startOperator("turns");
for (const [count, runs] of [
  [500, 10],
  [10_000, 3],
] as const) {
  const objects = Array.from({ length: count }, (_, at) => siteOf("v1alpha1", `site-${at}`, 5_000));
  const review = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: { uid: "u", desiredAPIVersion: "bench.treadle.dev/v1", objects },
  };
  const body = Buffer.from(JSON.stringify(review));
  for (let run = 1; run <= runs; run++) {
    await operator.report();
    const beganMs = performance.now();
    const { status, text } = await operator.send(PATH, body);
    const tookMs = performance.now() - beganMs;
    const { longestMs, residentBytes } = await operator.report();
    if (status !== 200 || !text.includes('"status":"Success"')) throw new Error(`the answer is ${status} ${text.slice(0, 300)}`);
    const size = `${count} objects, ${(body.length / 1e6).toFixed(1)} MB`;
    console.log(
      `${size}: ${tookMs.toFixed(0)} ms, longest slice ${longestMs.toFixed(1)} ms, ${(residentBytes / 1e6).toFixed(0)} MB resident`,
    );
  }
}
