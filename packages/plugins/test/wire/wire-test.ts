#!/usr/bin/env -S node --conditions=@treadle/source
/** A plugin for the suite of the wire: the parameter `answer` decides what it does. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { capability, dependent, PlanError, servePlugin } from "@treadle/plugins/author";
import { z } from "zod";

const echo = capability({
  name: "wire-test",
  version: "1.2.3",
  category: "test",
  types: [{ name: "echo", versions: ["1", "2"], parameters: z.object({ answer: z.string().default("objects") }) }],
  kinds: [ConfigMap],
  async plan({ owner, version, parameters: { answer }, live }) {
    switch (answer) {
      case "problems":
        return { problems: [{ path: "spec.parameters.answer", message: "problems are requested" }] };
      case "error":
        throw new PlanError("Busy", "it is busy", { retryAfterMs: 1500 });
      case "terminal":
        throw new PlanError("Impossible", "it is impossible", { terminal: true });
      case "logs":
        logLines();
        break;
      case "hang":
        await new Promise(() => {});
        break;
    }
    const data = {
      ownerBytes: String(Buffer.byteLength(JSON.stringify(owner))),
      version: version ?? "",
      live: Object.keys(live).join(" "),
      text: "Grüße \u2028 \u{1F40A}",
    };
    const state = { type: "Failed", reason: "Broken", message: "it is broken", attributes: [{ name: "color", value: "red" }] };
    return [
      dependent("first", ConfigMap, { data }, { updated: false }),
      dependent("second", ConfigMap, {}, { owned: false, created: false, watched: false, checkedForReadiness: false, state }),
    ];
  },
});

/** Lines as hclog writes them, and a printed one. */
function logLines(): void {
  const levels = { trace: "a trace", debug: "a detail", info: "a fact", warn: "a warning", error: "a failure" };
  for (const [level, text] of Object.entries(levels))
    process.stderr.write(`${JSON.stringify({ "@level": level, "@message": text, "@timestamp": new Date().toISOString() })}\n`);
  console.log("a printed line");
}

if (import.meta.main) servePlugin(echo);
