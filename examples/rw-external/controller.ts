/** The steps, and the handler that runs them in this order. */
import { conditions, controllerReference, handler, many, one, ownerLabels, ownership, step, validate } from "treadle";
import { Secret } from "treadle/kinds";
import { divide, parseDivision } from "./division.ts";
import { outputOf, RWExternal } from "./rw-external.ts";

/** The handler's persistent name: labels, the finalizer and the field manager are made of it. */
const NAME = "rwexternals.examples.treadle.dev";

/** Its own result as its input would be an endless loop. */
export const distinct = validate(RWExternal, {
  problems: (rw) => (rw.spec.inputSecret === outputOf(rw) ? [`Secret ${outputOf(rw)} cannot be both input and output`] : []),
});

/** Reads what to divide. The read is a watch, too: when the Secret appears, changes or goes, a pass starts at once. */
export const readInput = step(RWExternal, {
  name: "read-input",
  conditions: ["InputReady"],
  reads: { input: one(Secret, (rw) => rw.spec.inputSecret) },
  do(req) {
    const { inputSecret } = req.object.spec;
    const { input } = req.reads;
    if (input === undefined) return req.conditions.false("InputReady", "NotFound", `Secret ${inputSecret} does not exist`).wait();
    const division = parseDivision(input.data);
    if ("problem" in division)
      return req.conditions.false("InputReady", division.reason, `Secret ${inputSecret} ${division.problem}`).wait();
    req.conditions.true("InputReady");
    return req.next({ division });
  },
});

/** Keeps the result in a Secret that is ours, and only there. */
export const storeOutput = step(RWExternal, {
  name: "store-output",
  needs: [readInput],
  conditions: ["OutputReady"],
  owns: [Secret],
  reads: {
    output: one(Secret, outputOf),
    ours: many(Secret, (rw) => ({ matchLabels: ownerLabels(rw, NAME) })),
  },
  async do(req) {
    const { object, reads, vars } = req;
    const { division } = vars;
    const name = outputOf(object);
    if (division.divisor === 0n)
      return req.conditions.false("OutputReady", "DivisionByZero", `Secret ${object.spec.inputSecret} has the divisor 0`).wait();
    if (reads.output !== undefined) {
      const whose = ownership(reads.output, object, NAME);
      if (whose.type !== "ours") {
        const owner = whose.type === "foreign" ? whose.owner : "nobody that is known";
        return req.conditions.false("OutputReady", "NotOurs", `Secret ${name} belongs to ${owner}; it is left as it is`).wait();
      }
    }
    const data = divide(division);
    if (!isStored(reads.output, data)) {
      const metadata = { name, labels: ownerLabels(object, NAME), ownerReferences: [controllerReference(object)] };
      await req.client.apply(Secret, { metadata, data }, { existing: reads.output });
    }
    // What an earlier spec asked for.
    for (const { metadata } of reads.ours.filter((each) => each.metadata.name !== name && ownership(each, object, NAME).type === "ours"))
      await req.client.delete(Secret, metadata, { preconditions: { uid: metadata.uid } });
    req.status.outputSecret = name;
    req.conditions.true("OutputReady");
    return;
  },
  async cleanup(req) {
    const ours = req.reads.ours.filter((each) => ownership(each, req.object, NAME).type === "ours");
    for (const { metadata } of ours) await req.client.delete(Secret, metadata, { preconditions: { uid: metadata.uid } });
    // The finalizer goes when they are gone, not when somebody was told to delete them.
    if (ours.length > 0) return req.wait(`Secret ${ours.map((each) => each.metadata.name).join(", ")} is being deleted`);
    return;
  },
});

export const rwExternal = handler(RWExternal, { name: NAME }).step(conditions()).step(distinct).step(readInput).step(storeOutput).build();

/** Whether the Secret holds this result and says whose it is; other keys in it are left to whoever put them there. */
function isStored(output: Secret | undefined, data: Readonly<Record<string, string>>): boolean {
  if (output === undefined || output.metadata.ownerReferences === undefined) return false;
  return Object.entries(data).every(([key, value]) => output.data?.[key] === value);
}
