/** The output: a Secret that belongs to the RWExternal. */
import { controllerReference, many, one, ownerLabels, ownership, type ReqClient, step } from "treadle";
import { Secret } from "treadle/kinds";
import { match } from "ts-pattern";
import { divide } from "./division.ts";
import { readInput } from "./read-input.ts";
import { NAME, outputOf, RWExternal } from "./rw-external.ts";

/** Stores the result in a Secret of ours. It never changes or deletes a Secret of another owner. */
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
    // First deletes the outputs of an earlier spec: another object may be waiting for the name.
    await remove(
      req.client,
      oursOf(object, reads.ours).filter(({ metadata }) => metadata.name !== name),
    );
    if (division.divisor === 0n)
      return req.conditions.false("OutputReady", "DivisionByZero", `Secret ${object.spec.inputSecret} has the divisor 0`).wait();
    const obstacle = obstacleOf(reads.output, object);
    if (obstacle !== undefined) return req.conditions.false("OutputReady", obstacle.reason, `Secret ${name} ${obstacle.problem}`).wait();
    const data = divide(division);
    if (!isStored(reads.output, object, data)) {
      const metadata = { name, labels: ownerLabels(object, NAME), ownerReferences: [controllerReference(object)] };
      await req.client.apply(Secret, { metadata, data }, { existing: reads.output });
    }
    req.status.outputSecret = name;
    req.conditions.true("OutputReady");
    return;
  },
  async cleanup(req) {
    const ours = oursOf(req.object, req.reads.ours);
    await remove(req.client, ours);
    // The finalizer stays until the Secrets no longer exist. An accepted delete request is not enough.
    if (ours.length > 0) return req.wait(`Secret ${ours.map((each) => each.metadata.name).join(", ")} is being deleted`);
    return;
  },
});

type SecretMetadata = Pick<Secret, "apiVersion" | "kind" | "metadata">;

function oursOf(owner: RWExternal, secrets: readonly SecretMetadata[]): readonly SecretMetadata[] {
  return secrets.filter((secret) => ownership(secret, owner, NAME).type === "ours");
}

/** Deletes by uid: a new Secret with the same name is not deleted. */
async function remove(client: Pick<ReqClient, "delete">, secrets: readonly SecretMetadata[]): Promise<void> {
  for (const { metadata } of secrets)
    if (metadata.deletionTimestamp === undefined) await client.delete(Secret, metadata, { preconditions: { uid: metadata.uid } });
}

/** Explains why the result cannot be stored now; `undefined` when it can. */
function obstacleOf(output: Secret | undefined, owner: RWExternal): { readonly reason: string; readonly problem: string } | undefined {
  if (output === undefined) return undefined;
  return match(ownership(output, owner, NAME))
    .with({ type: "foreign" }, (other) => ({ reason: "NotOurs", problem: `is not ours: it belongs to ${other.owner}` }))
    .with({ type: "free" }, () => ({ reason: "NotOurs", problem: "is not ours: no controller owns it" }))
    .with({ type: "ours" }, () =>
      output.metadata.deletionTimestamp === undefined
        ? undefined
        : { reason: "Deleting", problem: "is being deleted, and will be created again" },
    )
    .exhaustive();
}

/** Whether the Secret holds this result and the marks of its owner. Other keys of the Secret belong to other writers. */
function isStored(output: Secret | undefined, owner: RWExternal, data: Readonly<Record<string, string>>): boolean {
  const { labels = {}, ownerReferences = [] } = output?.metadata ?? {};
  const has = (some: Readonly<Record<string, string>>, all: Readonly<Record<string, string>>): boolean =>
    Object.entries(all).every(([key, value]) => some[key] === value);
  const isMarked = ownerReferences.some(({ uid, controller }) => controller === true && uid === owner.metadata.uid);
  return isMarked && has(labels, ownerLabels(owner, NAME)) && has(output?.data ?? {}, data);
}
