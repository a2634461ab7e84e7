#!/usr/bin/env -S node --conditions=@treadle/source
/** A plugin whose plan does what the parameter `do` names. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { capability, dependent, PlanError, servePlugin } from "@treadle/plugins/author";
import { z } from "zod";

const odd = capability({
  name: "odd",
  category: "test",
  types: [{ name: "odd", parameters: z.object({ do: z.enum(["log", "reject", "throw", "bug", "large"]) }) }],
  kinds: [ConfigMap],
  async plan({ parameters }) {
    await Promise.resolve();
    // oxlint-disable-next-line typescript/only-throw-error
    if (parameters.do === "throw") throw "boom";
    if (parameters.do === "bug") throw new TypeError("a bug with the password hunter2");
    if (parameters.do === "reject") throw new PlanError("NoDisk", "boom", { retryAfterMs: 500 });
    // 5 MiB in objects that are small enough one by one.
    if (parameters.do === "large")
      return ["a", "b", "c", "d", "e"].map((id) => dependent(id, ConfigMap, { data: { a: "a".repeat(1024 * 1024) } }));
    console.info("a line of the author");
    console.warn("a warning with %s", ["two\nlines"]);
    return [];
  },
});

// A timer of an author must not keep the process alive.
setInterval(() => undefined, 60_000);
servePlugin(odd);
