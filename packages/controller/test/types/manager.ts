/** What a manager runs: everything else must be refused with the sentence in the comment above it. */
import { conditions, handler, step } from "@treadle/reconcile";
import { createManager, generationChanged, periodic } from "../../src/index.ts";
import { Gadget, Widget } from "../widget.ts";

const built = handler(Widget)
  .step(conditions())
  .step(step(Widget, { name: "a", do() {} }))
  .build();
const manager = createManager();
manager.add(built);
manager.add(built, { concurrency: 2, predicate: generationChanged });
manager.add(built, { predicate: (event) => event.object.spec.size > 1 });
manager.add(periodic({ name: "sweep", everyMs: 1_000, run() {} })).add(built);
manager.add({ start() {} });

// @error this handler is not built: call .build() at the end of its steps
manager.add(handler(Gadget).step(conditions()));
// @error a manager runs handlers, made by handler(...).build(), and runnables, objects with start()
manager.add({ name: "nothing" });
// @error Property 'sizes' does not exist
manager.add(built, { predicate: (event) => event.object.spec.sizes > 1 });
