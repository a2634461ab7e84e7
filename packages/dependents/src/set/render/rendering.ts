/** What a set rendered, and from which inputs. Types only. */
import type { TerminalError } from "@treadle/reconcile";
import type { ClusterReads } from "./cluster.ts";
import type { LiveInput } from "./host.ts";
import type { LiveVersions } from "./live-inputs.ts";
import type { SeenObjects } from "./seen-objects.ts";

/** What a rendering followed from. */
export interface RenderedFrom {
  /** The digest in the request. */
  readonly requested: string;
  /** What was read of the cluster. */
  readonly read: ClusterReads;
  /** The versions of the live inputs. */
  readonly live: LiveVersions;
  /** The versions of the objects that the renderer got. */
  readonly seen: SeenObjects;
}

/** What was rendered. */
export interface Rendering extends RenderedFrom {
  /** Digest of all inputs. */
  readonly inputs: string;
  readonly objects: readonly unknown[];
}

/** A rendering that fails again for the same inputs. */
export interface FailedRendering extends RenderedFrom {
  readonly error: TerminalError;
  /** When it is tried again with the same inputs, by `clock.elapsed()`; `undefined`: never. */
  readonly retryAtMs: number | undefined;
}

/** A rendering that has begun and waits, with the results of its parts. */
export interface BegunRendering extends Pick<RenderedFrom, "requested"> {
  readonly live: Map<LiveInput, LiveInput["version"]>;
  readonly results: Map<string, Promise<unknown>>;
  /** What is called when it ends. */
  readonly ends: Map<object, () => void>;
}
