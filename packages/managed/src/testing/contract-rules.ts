/** The rules of the contract, in the order of a resource's life. Each part notes what it finds in the probe. */
import { isDeepStrictEqual } from "node:util";
import { differences } from "../compare.ts";
import { nameProblem } from "../names.ts";
import { causeOf } from "../provider/cause.ts";
import { asGiven, paths, type Probe, shown, type Subject } from "./contract-probe.ts";

/** Checks the names of both objects, and that nothing exists yet. Returns the objects with their names. */
export async function checkNames(probe: Probe): Promise<readonly [Subject, Subject]> {
  const subjects = probe.world.objects.map((given, i) => {
    const object = asGiven(given);
    return { object, token: `${object.metadata.uid ?? object.metadata.name}-${i + 1}`, name: probe.chosenName(object) };
  });
  const [first, second] = subjects as [Subject, Subject]; // The world has two objects.
  if (probe.chosenName(first.object) !== first.name)
    probe.note("names fit", "externalName returned two names for the same object", "use nothing but its arguments: no time, no random");
  if (first.name === second.name) {
    const fix = "use what is different: the uid, or the namespace and the name";
    probe.fail("names fit", "externalName returned the same name for two objects", fix);
  }
  if (probe.options.externalName === undefined) return [first, second];
  for (const subject of [first, second])
    if ((await probe.observe(subject)) !== undefined) {
      const fix = "begin with an empty provider, and return undefined for what does not exist: a 404 is no error";
      probe.fail("absent gives undefined", `observe found "${subject.name}" before its create`, fix);
    }
  return [first, second];
}

/** Creates a resource, and checks that observe finds it with the desired values. */
export async function checkCreate(probe: Probe, subject: Subject): Promise<void> {
  const isAssigned = probe.options.externalName === undefined;
  const answer = await probe.create(subject);
  const name: unknown = typeof answer === "object" && answer !== null ? (answer as { readonly name?: unknown }).name : undefined;
  if (isAssigned && name !== undefined) {
    const problem = nameProblem(name);
    if (problem !== undefined) probe.fail("names fit", `create returned a name that cannot be used: ${problem}`, "return { name }");
    subject.name = name as string; // checked
  }
  const seen = await probe.settled(subject);
  if (seen === undefined) {
    const fix = isAssigned
      ? "return the assigned name from create, as { name }"
      : "create the resource under `name`, and observe it by `name`";
    probe.fail(
      "names fit",
      `observe does not find "${subject.name}" after its create`,
      `${fix}; if reads lag behind, give the world advance()`,
    );
  }
  const found = differences(probe.want(subject.object), seen);
  if (found.length > 0) {
    const fix = "send all of `want`, and return the keys of desired in its form; the step would update it forever";
    probe.note("create is seen", `a created resource differs from desired at ${paths(found)}`, fix);
  }
  checkReaders(probe, subject, seen);
}

/** Calls the functions that read an observation. */
function checkReaders(probe: Probe, { object }: Subject, seen: object): void {
  const { status, connection, lateInitialize } = probe.options;
  const owner = probe.owner(object) as never; // The options have any types.
  for (const [verb, read] of Object.entries({ status, connection, lateInitialize })) {
    const answer = probe.pure(verb, () => (read === undefined ? {} : read(seen, owner)));
    if (typeof answer !== "object" || answer === null || Array.isArray(answer))
      probe.note("functions answer", `${verb} returned ${shown(answer)}`, "return an object");
    else if (verb === "connection" && Object.values(answer).some((value) => value !== undefined && typeof value !== "string"))
      probe.note("functions answer", "connection returned a value that is not a text", "return texts: String(port)");
  }
}

/** Observes twice: the answers are equal, and nothing outside has changed. */
export async function checkObserve(probe: Probe, subject: Subject): Promise<void> {
  const before = await probe.snapshot();
  const [first, second] = [await probe.observe(subject), await probe.observe(subject)];
  const fix = "only read in observe: each poll of each object calls it";
  if (!isDeepStrictEqual(await probe.snapshot(), before)) probe.note("observe changes nothing", "the provider differs after observe", fix);
  const found = differences(first ?? {}, second ?? {});
  if (found.length > 0 || (first === undefined) !== (second === undefined))
    probe.note(
      "observe changes nothing",
      `two observations differ at ${paths(found) || "their existence"}`,
      `${fix}; leave out what changes by itself`,
    );
}

/** Repeats a create with the same name and token: it must be the same resource. */
export async function checkCreateTwice(probe: Probe, subject: Subject): Promise<void> {
  if (probe.options.externalName === undefined) return await checkRecovery(probe, subject);
  const before = { seen: await probe.observe(subject), all: await probe.snapshot() };
  const outcome = await probe.outcome(() => probe.create(subject));
  if (outcome.type === "rejected") {
    const fix = "accept that the resource exists: a crash after the call repeats it with the same name and token";
    probe.fail("create twice is once", `a second create of "${subject.name}" was rejected: ${shown(outcome.error)}`, fix);
  }
  const after = { seen: await probe.settled(subject), all: await probe.snapshot() };
  if (after.seen === undefined || differences(before.seen ?? {}, after.seen).length > 0)
    probe.note("create twice is once", `a second create changed "${subject.name}"`, "return the existing resource as it is");
  if (!isDeepStrictEqual(after.all, before.all)) {
    const fix = "pass the name or the token to the provider as the key of the request";
    probe.note("create twice is once", "the provider differs after a second create", fix);
  }
}

async function checkRecovery(probe: Probe, subject: Subject): Promise<void> {
  if (probe.options.recoverCreate === undefined) return;
  const found = await probe.recover(subject, subject.token);
  if (found !== subject.name) {
    const what = found === undefined ? "nothing" : `"${found}"`;
    const fix = "store the token at the provider in create, as a tag, and search for it; a resource that is not found is created again";
    probe.note("a create is recovered", `recoverCreate finds ${what} for the token of "${subject.name}"`, fix);
  }
  const other = await probe.recover(subject, `${subject.token}-unused`);
  if (other !== undefined)
    probe.note("a create is recovered", `recoverCreate finds "${other}" for a token that was never used`, "compare the whole token");
}

/** Updates a resource to the changed object: a later observe returns the new values. */
export async function checkUpdate(probe: Probe, subject: Subject): Promise<void> {
  const { changed } = probe.world;
  if (probe.options.update === undefined || changed === undefined) return;
  const object = asGiven(changed(structuredClone(subject.object)));
  const updated = { ...subject, object };
  const seen = await probe.observe(subject);
  const want = probe.want(object);
  if (seen === undefined || differences(want, seen).length === 0) {
    const fix = "changed() of the world must return an object with other desired values";
    probe.fail("an update is seen", "changed() makes no difference to desired", fix);
  }
  await probe.update(updated, { want, seen });
  const after = await probe.settled(updated);
  const left = differences(want, after ?? {});
  if (left.length === 0) return;
  const fix = "send `changes`, and observe what the provider stores; the step would update it forever";
  probe.note("an update is seen", `after an update, observe differs from desired at ${paths(left)}`, fix);
}

/** Deletes a resource twice, and checks that it no longer exists. */
export async function checkDelete(probe: Probe, subject: Subject): Promise<void> {
  if (probe.options.delete === undefined) return;
  await probe.delete(subject, await probe.observe(subject));
  if (!(await probe.gone(subject))) {
    const fix = "delete the resource of `name`, and return undefined for a 404; if it takes time, give the world advance()";
    probe.fail("delete leaves nothing", `observe still finds "${subject.name}" after its delete`, fix);
  }
  const outcome = await probe.outcome(() => probe.delete(subject, undefined));
  if (outcome.type === "answered") return;
  const fix = "accept a 404: a crash after the call repeats it";
  probe.note("delete twice is once", `a delete of "${subject.name}" that no longer exists was rejected: ${shown(outcome.error)}`, fix);
}

/** Calls the provider with credentials that it refuses: each error must say so. */
export async function checkRefusals(probe: Probe, subject: Subject): Promise<void> {
  const { refusedApi: api } = probe.world;
  if (api === undefined) return;
  const before = await probe.snapshot();
  const { create, delete: remove } = probe.options;
  await checkRefusal(probe, "observe", (probe) => probe.observe(subject, api));
  if (create !== undefined) await checkRefusal(probe, "create", (probe) => probe.create(subject, api));
  if (remove !== undefined) await checkRefusal(probe, "delete", (probe) => probe.delete(subject, undefined, api));
  if (!isDeepStrictEqual(await probe.snapshot(), before))
    probe.note(
      "errors carry their kind",
      "the provider differs after calls with refused credentials",
      "check that `api` of the call is used",
    );
}

async function checkRefusal(probe: Probe, verb: string, call: (probe: Probe) => Promise<unknown>): Promise<void> {
  const fix =
    "throw CredentialsRefused, or an error with the status 401 or 403; an answer instead makes the step create or forget resources";
  const outcome = await probe.outcome(() => call(probe));
  if (outcome.type === "answered") probe.note("errors carry their kind", `${verb} with refused credentials answered`, fix);
  else if (causeOf(outcome.error, 0).type !== "refused")
    probe.note(
      "errors carry their kind",
      `${verb} with refused credentials rejected with ${shown(outcome.error)}, which is no refusal`,
      fix,
    );
}
