/** A step of TemplateKind. */
import { one, step } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { TemplateKind } from "./template-kind.ts";

/**
 * Hands over the data of the ConfigMap `<name>-template-step`, if it exists. A later step with `needs: [templateStep]` gets it as
 * `req.vars.templateStep`. The watch follows from `reads`: a change of the ConfigMap starts a pass.
 */
export const templateStep = step(TemplateKind, {
  name: "template-step",
  conditions: ["TemplateStepReady"],
  reads: { source: one(ConfigMap, ({ metadata }) => `${metadata.name}-template-step`) },
  do(req) {
    const data = req.reads.source?.data ?? {};
    if (data["paused"] === "true") {
      // Ready shows this message, and later steps do not run until the ConfigMap changes.
      return req.conditions.false("TemplateStepReady", "Paused", "the ConfigMap has paused: true").wait();
    }
    req.conditions.true("TemplateStepReady");
    return req.next({ templateStep: data });
  },
});
