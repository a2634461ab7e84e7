/**
 * The contract of an author's functions: what `managed()` relies on. It is checked against a provider, without a cluster. A real provider
 * does for a nightly test, a fake one for each commit.
 */
import { isDeepStrictEqual } from "node:util";
import type { Clock, KubernetesObject } from "@treadle/apimachinery";
import type { Reads, ReadsOf } from "@treadle/reconcile";
import type { References, ReferencesOf } from "../reference.ts";
import { managedSteps } from "../extension.ts";
import type { AnyManagedOptions, AnyManagedStep, ManagedOptions, ManagedStep, Unobserved } from "../types.ts";
import { type AnyWorld, type ContractProblem, Probe, type Subject } from "./contract-probe.ts";
import { checkCreate, checkCreateTwice, checkDelete, checkNames, checkObserve, checkRefusals, checkUpdate } from "./contract-rules.ts";

/** What a contract needs to know of the provider. */
export interface ContractWorld<T extends KubernetesObject, Api, R = {}, F = {}> {
  /** The API, connected to a provider that has no resource of the objects. */
  readonly api: Api;
  /** Two objects as the server returns them: with defaults, and with different uids. */
  readonly objects: readonly [T, T];
  /** Returns an object with other desired values. @defaultValue updates are not checked */
  readonly changed?: (object: T) => T;
  /** Returns everything that exists at the provider, to compare. @defaultValue the provider is seen only through `observe` */
  readonly snapshot?: () => unknown;
  /** An API with credentials that the provider refuses. @defaultValue refusals are not checked */
  readonly refusedApi?: Api;
  /**
   * Lets time pass, such as `() => clock.advance(1_000)`. It is called before each look at a resource in transition. @defaultValue
   * the provider is immediate
   */
  readonly advance?: () => unknown;
  /** Returns the values of the declared `reads`. @defaultValue no values */
  readonly reads?: (object: T) => ReadsOf<R>;
  /** Returns the external names of the declared `references`. @defaultValue no names */
  readonly references?: (object: T) => ReferencesOf<F>;
  /** Maximum time of one call, in milliseconds. @defaultValue 30_000 */
  readonly deadlineMs?: number;
  /** The clock of `deadlineMs`. @defaultValue the clock of the machine */
  readonly clock?: Clock;
}

/** The world of a step whose API, reads and references the compiler does not know. */
// oxlint-disable-next-line typescript/no-explicit-any -- the values of reads and references have any types
export type StepWorld<T extends KubernetesObject> = ContractWorld<T, unknown, any, any>;

/** A contract error has every rule that the functions of a managed step break, each with its fix. */
export class ContractError extends Error {
  /** The name of the class. */
  override readonly name = "ContractError";
  /** The broken rules. */
  readonly problems: readonly ContractProblem[];

  constructor(step: string, problems: readonly ContractProblem[]) {
    const lines = problems.map(({ rule, message, fix }) => `\n- ${rule}: ${message}. Fix: ${fix}`);
    super(`managedContract: "${step}" breaks ${problems.length === 1 ? "a rule" : `${problems.length} rules`}:${lines.join("")}`);
    this.problems = problems;
  }
}

/**
 * Checks the functions of a managed step against a provider: names, observe, create, update, delete, and the kinds of errors. It
 * creates and deletes resources of both objects. It needs no test runner: the promise rejects. With the options, the compiler checks the
 * world as well.
 *
 * @param step what `managed()` returned, or its options
 * @throws ContractError with every broken rule
 * @throws TypeError for another value (untyped code)
 */
export async function managedContract<
  T extends KubernetesObject,
  Name extends string,
  Api,
  Seen extends object = Unobserved,
  Want extends object = {},
  R extends Reads<T> = {},
  F extends References<T> = {},
  Shown extends object = {},
>(
  step: ManagedOptions<T, Name, Api, R, F, Seen, Want, Shown>,
  given: { readonly world: ContractWorld<T, NoInfer<Api>, NoInfer<R>, NoInfer<F>> },
): Promise<void>;
/** Checks the functions of a step that `managed()` made. The compiler does not know the API of the world then. */
export async function managedContract<T extends KubernetesObject>(
  step: ManagedStep<T, string, unknown>,
  given: { readonly world: StepWorld<NoInfer<T>> },
): Promise<void>;
export async function managedContract(step: AnyManagedOptions | AnyManagedStep, { world }: { readonly world: object }): Promise<void> {
  const options = managedSteps.dataOf(step)?.options ?? (step as AnyManagedOptions);
  for (const member of ["observe", "desired"] as const)
    if (typeof options[member] !== "function")
      throw new TypeError("managedContract: the first argument must be a step made by managed(), or its options");
  const probe = new Probe(options, world as AnyWorld); // The rules work with any types.
  await check(probe);
  if (probe.problems.length > 0) throw new ContractError(options.name, probe.problems);
}

async function check(probe: Probe): Promise<void> {
  const before = await probe.snapshot();
  let subjects: readonly [Subject, Subject] | undefined;
  await probe.part(async () => {
    subjects = await checkNames(probe);
  });
  if (subjects === undefined || probe.options.create === undefined) return;
  const [first, second] = subjects;
  if (!(await probe.part(() => checkCreate(probe, first)))) {
    // A resource that cannot be observed cannot be checked. It is deleted as far as possible.
    await probe.outcome(() => checkDelete(probe, first));
    return;
  }
  await probe.part(() => checkObserve(probe, first));
  await probe.part(() => checkCreateTwice(probe, first));
  await probe.part(() => checkSecond(probe, first, second));
  await probe.part(() => checkUpdate(probe, first));
  await probe.part(() => checkRefusals(probe, first));
  await checkEnd(probe, subjects, before);
}

/** Creates the second resource, which must not be the first one. */
async function checkSecond(probe: Probe, first: Subject, second: Subject): Promise<void> {
  await checkCreate(probe, second);
  if (second.name !== first.name) return;
  const fix = "return the name of the new resource";
  probe.fail("names fit", `create returned the name "${first.name}" for two objects`, fix);
}

/** Deletes both resources. Then nothing that the contract created is left. */
async function checkEnd(probe: Probe, subjects: readonly Subject[], before: unknown): Promise<void> {
  const problems = probe.problems.length;
  for (const subject of subjects) await probe.part(() => checkDelete(probe, subject));
  if (probe.options.delete === undefined || probe.problems.length > problems) return;
  if (isDeepStrictEqual(await probe.snapshot(), before)) return;
  const fix = "delete all that create made; a resource that create makes twice is left, too";
  probe.note("delete leaves nothing", "the provider differs from its beginning after all resources were deleted", fix);
}
