/** The steps, and the handler that runs them in this order. */
import { conditions, controllerReference, handler, many, one, ownerLabels, ownership, type ReqClient, step, validate } from "treadle";
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
    const { output } = reads;
    const { division } = vars;
    const name = outputOf(object);
    // What an earlier spec asked for; first, since it may be in the way of somebody else.
    await remove(
      req.client,
      oursOf(object, reads.ours).filter(({ metadata }) => metadata.name !== name),
    );
    if (division.divisor === 0n)
      return req.conditions.false("OutputReady", "DivisionByZero", `Secret ${object.spec.inputSecret} has the divisor 0`).wait();
    if (output !== undefined) {
      const whose = ownership(output, object, NAME);
      if (whose.type !== "ours") {
        const why = whose.type === "foreign" ? `it belongs to ${whose.owner}` : "nobody controls it";
        return req.conditions.false("OutputReady", "NotOurs", `Secret ${name} is not ours: ${why}`).wait();
      }
      if (output.metadata.deletionTimestamp !== undefined)
        return req.conditions.false("OutputReady", "Deleting", `Secret ${name} is being deleted, and will be made again`).wait();
    }
    const data = divide(division);
    if (!isStored(output, object, data)) {
      const metadata = { name, labels: ownerLabels(object, NAME), ownerReferences: [controllerReference(object)] };
      await req.client.apply(Secret, { metadata, data }, { existing: output });
    }
    req.status.outputSecret = name;
    req.conditions.true("OutputReady");
    return;
  },
  async cleanup(req) {
    const ours = oursOf(req.object, req.reads.ours);
    await remove(req.client, ours);
    // The finalizer goes when they are gone, not when somebody was told to delete them.
    if (ours.length > 0) return req.wait(`Secret ${ours.map((each) => each.metadata.name).join(", ")} is being deleted`);
    return;
  },
});

export const rwExternal = handler(RWExternal, { name: NAME }).step(conditions()).step(distinct).step(readInput).step(storeOutput).build();

type SecretMetadata = Pick<Secret, "apiVersion" | "kind" | "metadata">;

function oursOf(owner: RWExternal, secrets: readonly SecretMetadata[]): readonly SecretMetadata[] {
  return secrets.filter((secret) => ownership(secret, owner, NAME).type === "ours");
}

/** By uid: a Secret that somebody made anew under the name is not deleted. */
async function remove(client: Pick<ReqClient, "delete">, secrets: readonly SecretMetadata[]): Promise<void> {
  for (const { metadata } of secrets)
    if (metadata.deletionTimestamp === undefined) await client.delete(Secret, metadata, { preconditions: { uid: metadata.uid } });
}

/** Whether the Secret holds this result and says whose it is; other keys in it are left to whoever put them there. */
function isStored(output: Secret | undefined, owner: RWExternal, data: Readonly<Record<string, string>>): boolean {
  const { labels = {}, ownerReferences = [] } = output?.metadata ?? {};
  const has = (some: Readonly<Record<string, string>>, all: Readonly<Record<string, string>>): boolean =>
    Object.entries(all).every(([key, value]) => some[key] === value);
  const isMarked = ownerReferences.some(({ uid, controller }) => controller === true && uid === owner.metadata.uid);
  return isMarked && has(labels, ownerLabels(owner, NAME)) && has(output?.data ?? {}, data);
}
