/** The extension of the engine behind components: what it finds in a pass, what it remembers, and its problems for `build()`. */
import {
  type CounterDefinition,
  defineExtension,
  type EndedPass,
  type ExtendedStep,
  type Extension,
  type Setting,
  statusMessage,
} from "@treadle/reconcile/unstable/engine";
import type { PartReport } from "@treadle/dependents/unstable/step";
import type { Definition } from "./definition.ts";
import { problems } from "./problems.ts";
import { treeOf } from "./tree.ts";
import { type ComponentReason, componentReasons } from "./reasons.ts";
import { ComponentMemory } from "./state.ts";

/** What a component decided in one pass. */
export interface Run {
  /** What is asked now, for the report of an error. */
  stage: "gate" | "barrier" | "suspension" | "resources";
  /** How the resources run; `barred`: they do not. */
  mode: "barred" | "disabled" | "suspended" | "running";
  /** Why the component may not begin. */
  unmet: Unmet | undefined;
  /** The objects whose number of replicas an autoscaler of the component sets, by `targetKey()`. */
  autoscaled: ReadonlySet<string>;
  /** The resource that blocks all later ones. */
  blocker: string | undefined;
  /** The resource that began last. */
  latest: string | undefined;
  /** What became of resources that have ended, by name. */
  readonly reports: Map<string, PartReport>;
  /** The numbers of replicas before the suspension. */
  replicas: Readonly<Record<string, number>>;
}

/** Why a component may not begin, and when to ask again; without `afterMs` with the waiting backoff. */
export interface Unmet {
  readonly message: string;
  readonly afterMs: number | undefined;
}

/** What the components of an owner remember between passes, by name. */
export class Memories {
  readonly #components = new Map<string, ComponentMemory>();

  of(component: string): ComponentMemory {
    let memory = this.#components.get(component);
    if (memory === undefined) this.#components.set(component, (memory = new ComponentMemory()));
    return memory;
  }
}

/** Counts the objects that components created and changed. */
export const APPLIES: CounterDefinition = {
  name: "treadle_component_resource_applies_total",
  help: "Objects of components that were written, by operation: created or updated.",
  labels: ["component", "resource", "kind", "operation"],
};

/** Counts the failures of resources. */
export const APPLY_ERRORS: CounterDefinition = {
  name: "treadle_component_resource_apply_errors_total",
  help: "Passes in which a resource of a component failed.",
  labels: ["component", "resource", "kind"],
};

interface Found {
  /** The runs of the pass, by component. */
  readonly runs: Map<string, Run>;
}

export const components: Extension<Definition, Memories, Found> = defineExtension<Definition, Memories, Found>({
  name: "components",
  memory: () => new Memories(),
  found: () => ({ runs: new Map() }),
  counters: [APPLIES, APPLY_ERRORS],
  condition,
  problems,
  debug: treeOf,
  describe: ({ data: { name, resources } }) => [
    { type: "component", name, kinds: resources.map(({ dependent: { policy } }) => policy.kind) },
  ],
});

/** Sets the condition of a component that could not report. Its reason is one of the closed list, which programs rely on. */
function condition(pass: EndedPass<Definition, Memories, Found>, { step }: ExtendedStep<Definition>): Setting | undefined {
  if (pass.type !== "full") return undefined;
  const ended = pass.progressOf(step) ?? { type: "unreached" };
  switch (ended.type) {
    case "failed":
      return setting("Error", statusMessage(ended.error));
    case "unreached":
      return pass.isHiding ? undefined : setting("Unknown", pass.notReached);
    default:
      return undefined;
  }
}

function setting(reason: ComponentReason, message: string): Setting {
  return { status: componentReasons[reason].status, reason, message };
}

/** Begins the run of a component in this pass. */
export function beginRun({ name }: Definition, req: unknown): Run {
  const run: Run = {
    stage: "gate",
    mode: "barred",
    unmet: undefined,
    autoscaled: NONE,
    blocker: undefined,
    latest: undefined,
    reports: new Map(),
    replicas: NO_REPLICAS,
  };
  components.of(req).found.runs.set(name, run);
  return run;
}

const NONE: ReadonlySet<string> = new Set();
const NO_REPLICAS = Object.freeze({});

/** Returns the run of a component in this pass; `undefined` before it begins. */
export function runOf({ name }: Definition, req: unknown): Run | undefined {
  return components.of(req).found.runs.get(name);
}

/** Returns what the component remembers of the owner. */
export function memoryOf({ name }: Definition, req: unknown): ComponentMemory {
  return components.of(req).memory.of(name);
}
