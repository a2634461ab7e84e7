/** Connects the passes of a controller with its feeds. */
import { isMetadataOnly } from "@treadle/apimachinery";
import type { DrainRule, ReconcilerEnv } from "@treadle/reconcile";
import type { Feed } from "../feed.ts";
import type { ControllerEnv } from "./controller-env.ts";

/** What the passes get; every write of theirs is told to the feed that it concerns. One that was not sent concerns none. */
export function reconcilerEnv(name: string, primary: Feed, env: ControllerEnv & { readonly drain?: DrainRule | undefined }): ReconcilerEnv {
  const { client, cache, clock, log, fetches, isServed, isSelected, refusalOf, undeclared, recordEvent, phaseBegan } = env;
  const common = {
    client,
    cache,
    clock,
    log,
    fetches,
    isServed,
    isSelected,
    refusalOf,
    ...(env.drain === undefined ? {} : { drain: env.drain }),
    ...(undeclared === undefined ? {} : { undeclared }),
    ...(recordEvent === undefined ? {} : { recordEvent }),
    ...(phaseBegan === undefined ? {} : { phaseBegan }),
  };
  if (env.isDryRun) return { ...common, isDryRun: true };
  return {
    ...common,
    expectWrite: (ref) => primary.expectWrite(ref),
    observeWrite: (object) => primary.wrote(object, name),
    observeDelete: ({ metadata }) => primary.removed(metadata, metadata.uid ?? "", name),
    observeOther: (kind, object) => {
      const feed = env.watchedFeedOf(kind);
      // The answer to a write of metadata does not show the rest.
      if (feed === undefined || (isMetadataOnly(kind) && !isMetadataOnly(feed.informer.kind))) return;
      // Another origin than the passes' own: a step that makes an object of our kind by hand starts a pass for it.
      feed.wrote(object, `${name}/client`);
    },
    observeOtherDelete: (kind, ref, uid) => env.watchedFeedOf(kind)?.removed(ref, uid, `${name}/client`),
  };
}
