/** The input of `build()`: what the builder of a handler has collected, unchecked. */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { HandlerOptions } from "../handler-options.ts";
import type { WatchForm } from "../reads.ts";
import type { Cache } from "../req.ts";
import type { StepRuntime } from "./step-runtime.ts";

/** A declared watch is a `watch` of the builder, for any kind. */
export interface DeclaredWatch {
  /** The watched kind. */
  readonly kind: Kind;
  /** Whether whole objects or their metadata are watched. */
  readonly form: WatchForm;
  /** The way from a change to the primaries that it concerns. */
  readonly by:
    | { readonly type: "map"; readonly map: (object: KubernetesObject, cache: Cache) => Iterable<Ref> }
    | { readonly type: "refs"; readonly refs: (primary: KubernetesObject) => Iterable<string | Ref> }
    | { readonly type: "label"; readonly label: string }
    | { readonly type: "owner" }
    | { readonly type: "owned" };
}

/** What a builder has collected. */
export interface Collected {
  readonly kind: Kind;
  readonly options: HandlerOptions;
  readonly steps: readonly StepRuntime[];
  readonly watches: readonly DeclaredWatch[];
}
