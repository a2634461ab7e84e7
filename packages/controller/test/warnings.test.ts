/** What the API server warns of reaches the operator's log. */
import { handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { startWorld, Widget, widget } from "./world.ts";

test("each distinct warning of the server is logged once, without its secrets", async () => {
  const worker = handler(Widget)
    .step(
      step(Widget, {
        name: "see",
        do(req) {
          req.status.seen = req.object.spec.size;
        },
      }),
    )
    .build();
  const world = await startWorld({
    handlers: [worker],
    intercept: (transport) => ({
      ...transport,
      async request(request) {
        const response = await transport.request(request);
        return request.method === "PATCH"
          ? { ...response, headers: { ...response.headers, warning: '299 - "token=hunter2 is deprecated"' } }
          : response;
      },
    }),
  });
  for (const name of ["a", "b", "c"]) await world.user.create(Widget, widget(name));
  await world.settled();
  expect(world.requests.length).toBeGreaterThan(1);
  expect(world.logs.filter(({ text }) => text.includes("warns"))).toEqual([
    { level: "warn", data: {}, text: "the API server warns: token=<redacted> is deprecated" },
  ]);
});
