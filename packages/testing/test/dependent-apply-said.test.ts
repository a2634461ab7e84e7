/** What dependents say of themselves, and of what keeps them from being ready: entries and Ready must tell one story. */
import "../src/matchers.ts";
import { expect, test } from "vitest";
import { entries, settled, Site } from "./sites.ts";

test.for([undefined, null, false, ""])("a readyWhen that answers %j is wrong, and never ready", async (answer) => {
  const world = await settled({ readyWhen: () => answer as never });
  expect(entries(world)).toMatchObject([{ type: "Failed", message: expect.stringContaining("readyWhen must answer true") }]);
  expect(world.get(Site, "a")).toHaveCondition("Ready", { status: "False" });
});
