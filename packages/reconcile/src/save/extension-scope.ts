/** The pass as an extension sees it: before, during and after the chain. */
import type { AnyExtension, ChainPass, EndedPass, ExtensionPass, Probe, StepsRun } from "../extension.ts";
import type { Outcome } from "../req.ts";
import { claims } from "./claims.ts";
import { notReached } from "./step-settings.ts";
import { handlerOf } from "../build/extensions.ts";
import { slotOf } from "../record/memory.ts";
import type { Pass } from "../record/pass-state.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** What an extension may do while the chain runs. */
export interface ChainRunner {
  run(pass: Pass, work: StepsRun): Promise<Outcome>;
  probe(pass: Pass, step: StepRuntime, probe: Probe): Promise<Readonly<Record<string, unknown>> | undefined>;
}

type AnyPass = ExtensionPass<unknown, object, object>;

/** The pass as an extension sees it; one for all steps of the pass. */
export function scopeOf(pass: Pass, extension: AnyExtension): AnyPass {
  const all = (pass.scopes ??= new Map());
  const known = all.get(extension.name);
  if (known !== undefined) return known as AnyPass; // Only this function adds entries.
  const scope = makeScope(pass, extension);
  all.set(extension.name, scope);
  return scope;
}

function makeScope(pass: Pass, extension: AnyExtension): AnyPass {
  const { env, object, pipeline } = pass;
  const { name } = extension;
  return {
    handler: pipeline.extended.get(name) ?? handlerOf(pipeline, name),
    object,
    get memory() {
      return slotOf(pass.memory, `extension ${name}`, extension.memory ?? empty);
    },
    get found() {
      const all = (pass.found ??= new Map());
      let found = all.get(name);
      if (found === undefined) all.set(name, (found = (extension.found ?? empty)()));
      return found;
    },
    get vars() {
      return pass.vars;
    },
    isDeleting: pass.isDeleting,
    isDryRun: env.isDryRun === true,
    cache: env.cache,
    isSelected: (kind, other) => env.isSelected?.(kind, other) ?? true,
    isServed: (kind) => env.isServed?.(kind) ?? true,
    client: env.client,
    clock: env.clock,
    log: pass.log,
    hide: (text) => pass.hide(text),
    conceal: (texts) => pass.noteSecretTexts(texts),
    claim: (what, given) => claims(pass, what, given),
  };
}

/** The pass as an extension sees it while the chain runs. */
export function chainScopeOf(pass: Pass, extension: AnyExtension, runner: ChainRunner): ChainPass<unknown, object, object> {
  return withMembers<Omit<ChainPass<unknown, object, object>, keyof AnyPass>>(makeScope(pass, extension), {
    run: (work) => runner.run(pass, work),
    probe: (step, probe) => runner.probe(pass, step, probe),
    note: (step, progress) => void pass.progress.set(step, { type: progress }),
  });
}

/** The pass as an extension sees it after the chain. */
export function endedScopeOf(pass: Pass, extension: AnyExtension): EndedPass<unknown, object, object> {
  const { progress, pipeline, trouble } = pass;
  const type = pass.reports;
  return withMembers<Omit<EndedPass<unknown, object, object>, keyof AnyPass>>(makeScope(pass, extension), {
    type,
    progressOf: (step) => progress.get(step),
    get notReached() {
      return notReached({ type, trouble, progress, leaves: pipeline.leaves });
    },
  });
}

/** `scope` with more members; getters of both stay getters. */
function withMembers<More extends object>(scope: AnyPass, more: More): AnyPass & More {
  return Object.defineProperties(scope, Object.getOwnPropertyDescriptors(more)) as AnyPass & More;
}

function empty(): object {
  return {};
}
