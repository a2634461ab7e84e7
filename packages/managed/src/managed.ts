/**
 * managed: one external resource of a custom resource, as one step. It observes the resource, creates it, updates what differs, and
 * deletes it with the object.
 *
 * Guarantees
 * - At most one resource is created for an object, and none stays when the object is deleted, whatever is interrupted when. The
 *   provider must be idempotent for the name, or find a create by its token.
 * - Nothing is modified or deleted that the object did not create or import.
 * - A settled object costs one observation for each poll, and no request to the API server.
 *
 * They rest on this order: the finalizer, the stored record of the create, the create, the name.
 */
import type { Kind, ObjectOf } from "@treadle/apimachinery";
import type { AnyStep, Reads } from "@treadle/reconcile";
import { defineStep } from "@treadle/reconcile/unstable/engine";
import { definitionOf } from "./definition.ts";
import { managedSteps } from "./extension.ts";
import { EVENT_REASONS } from "./flow/changed.ts";
import { cleanup } from "./flow/cleanup.ts";
import { reconcile } from "./flow/do.ts";
import { reportChain } from "./flow/post.ts";
import type { ManagedCleanupReq, ManagedPostReq, ManagedReq } from "./flow/run.ts";
import { CONFIG_READ, SECRET_READ } from "./flow/session.ts";
import { pausedByPolicies } from "./policies.ts";
import { readsOf } from "./provider/provider.ts";
import type { References } from "./reference.ts";
import { readsOfReferences } from "./references/reads.ts";
import { newMemory, STATE, storedChoices } from "./state.ts";
import type { AnyManagedOptions, ManagedOptions, ManagedStep, Unobserved } from "./types.ts";

/** The engine's own deadline is a little later than that of the step, so that the step can say which call took too long. */
const EXTRA_MS = 5_000;

/**
 * Makes a step that manages one external resource. Several of them in one handler need a `prefix` each.
 *
 * @throws TypeError when the options are invalid (untyped code); `build()` reports what the declaration of the kind lacks.
 */
export function managed<
  K extends Kind,
  const Name extends string,
  Api,
  Seen extends object = Unobserved,
  Want extends object = {},
  R extends Reads<ObjectOf<K>> = {},
  F extends References<ObjectOf<K>> = {},
  Shown extends object = {},
>(kind: K, options: ManagedOptions<ObjectOf<K>, Name, Api, R, F, Seen, Want, Shown>): ManagedStep<ObjectOf<K>, Name, Seen> {
  const definition = definitionOf(kind, options as unknown as AnyManagedOptions);
  const { names, provider, references, timeoutMs } = definition;
  const { config, secret } = readsOf(provider);
  const step = defineStep(kind, {
    name: options.name,
    conditions: [names.ready, { type: names.synced, ready: "ignored" }, { type: names.upToDate, ready: "ignored" }],
    reads: {
      ...options.reads,
      ...readsOfReferences(references, storedChoices(options.name)),
      [CONFIG_READ]: config,
      ...(secret === undefined ? {} : { [SECRET_READ]: secret }),
    },
    state: STATE,
    memory: newMemory,
    writes: options.lateInitialize === undefined ? ["annotations"] : ["annotations", "spec"],
    events: EVENT_REASONS,
    finalizer: "on-demand",
    backoff: "external",
    timeoutMs: timeoutMs + EXTRA_MS,
    dryRun: true,
    configures: { pausesWhen: pausedByPolicies },
    uses: [managedSteps.use(definition)],
    do: (req) => reconcile(definition, req as ManagedReq),
    // Also without `delete`: it releases the finalizer of an earlier program that could delete.
    cleanup: (req) => cleanup(definition, req as ManagedCleanupReq),
    post: (req) => reportChain(definition, req as ManagedPostReq),
  });
  // What defineStep() gives is opaque; the signature is what is known of it.
  return step as AnyStep as unknown as ManagedStep<ObjectOf<K>, Name, Seen>;
}
