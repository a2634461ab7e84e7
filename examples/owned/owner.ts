/** The decision whether an existing ConfigMap may be changed, for both steps. */
import { type KubernetesObject, ownership } from "treadle";
import { match } from "ts-pattern";
import type { Site } from "./site.ts";

/** Time until the next look at a foreign object, in milliseconds. Its events start a pass earlier; the default would be at most 10 s. */
export const LOOK_AGAIN_MS = 600_000;

/** Explains why `live` must not be changed for `site`; `undefined` when it may be changed. */
export function refusal(live: KubernetesObject, site: Site, handlerName: string): string | undefined {
  return match(ownership(live, site, handlerName))
    .with({ type: "ours" }, () => undefined)
    .with({ type: "foreign" }, ({ owner }) => `it belongs to ${owner}`)
    .with({ type: "free" }, () => "no controller owns it")
    .exhaustive();
}
