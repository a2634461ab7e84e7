/** One bucket in a world: what most tests of managed steps begin with. */
import { fakeClock, type FakeClock } from "@treadle/apimachinery";
import type { FakeWorld, FakeWorldOptions } from "@treadle/testing";
import type { FakeVerb } from "../src/testing/index.ts";
import type { AnyManagedOptions } from "../src/types.ts";
import { Bucket, bucketHandler, type Later, messageOf, type Outside, outside, world } from "./stage.ts";

export interface Scene {
  readonly api: Outside;
  readonly clock: FakeClock;
  readonly w: FakeWorld;
  /** The verbs of the calls since the last {@link forget}. */
  readonly verbs: () => readonly FakeVerb[];
  /** Forgets calls, requests, events and passes so far. */
  readonly forget: () => void;
  /** The events since the last {@link forget}, as `Reason: message`. */
  readonly events: () => readonly string[];
  /** Moves time, then runs what became due. */
  readonly after: (ms: number) => Promise<void>;
  /** The bucket `a`. */
  readonly bucket: () => Promise<Bucket | undefined>;
  /** A condition of the bucket `a`, as `Status/Reason: message`. */
  readonly said: (type: string) => Promise<string | undefined>;
}

export interface SceneOptions {
  readonly outside?: Parameters<typeof outside>[0];
  /** Options of the step. A member with `undefined` takes a part away. */
  readonly options?: (api: Outside) => { readonly [Member in keyof AnyManagedOptions]?: AnyManagedOptions[Member] | undefined };
  readonly later?: readonly Later[];
  readonly world?: FakeWorldOptions;
}

/** Sets a scene without objects of the kind. */
export function scene(given: SceneOptions = {}): Scene {
  const clock = given.world?.clock ?? fakeClock();
  const api = outside({ clock, ...given.outside });
  const w = world(bucketHandler(api, given.options?.(api) as Partial<AnyManagedOptions> | undefined, given.later), {
    ...given.world,
    clock,
  });
  return sceneOf(api, w, clock);
}

/** The members of a scene, for a world that a test made. */
export function sceneOf(api: Outside, w: FakeWorld, clock: FakeClock): Scene {
  let told = 0;
  return {
    api,
    clock,
    w,
    verbs: () => api.calls.map(({ verb }) => verb),
    forget: () => {
      api.clearCalls();
      w.requests.clear();
      told = w.events.length;
    },
    events: () => w.events.slice(told).map(({ reason, note }) => `${reason}: ${note}`),
    after: async (ms) => {
      await w.advance(ms);
      await w.settled();
    },
    bucket: async () => await w.get(Bucket, "a"),
    said: async (type) => {
      const found = (await w.get(Bucket, "a"))?.status?.conditions?.find((condition) => condition.type === type);
      return found === undefined ? undefined : `${found.status}/${found.reason}: ${await messageOf(w, type)}`;
    },
  };
}

/** The scene in another process: the outside and the objects are the same, and nothing is remembered. */
export async function restarted({ api, w, clock }: Scene, given: SceneOptions = {}): Promise<Scene> {
  const objects = (await w.list(Bucket)).map(storedAs);
  const options = given.options?.(api) as Partial<AnyManagedOptions> | undefined;
  const later = fakeClock(clock.now());
  // The objects are created in another server, so their conditions are older than they are.
  const next = world(bucketHandler(api, options, given.later), { ...given.world, clock: later, objects, checkStatus: false });
  return sceneOf(api, next, later);
}

/** The fields of an object that outlive a process. */
function storedAs({ metadata, ...rest }: Bucket): object {
  const { name, namespace, annotations, finalizers } = metadata;
  return structuredClone({ ...rest, metadata: { name, namespace, annotations, finalizers } });
}

/** A manifest of the bucket `a`. */
export function bucketOf(spec: object = {}, annotations: Readonly<Record<string, string>> = {}): Parameters<FakeWorld["create"]>[1] {
  return { metadata: { name: "a", annotations }, spec } as never; // The server completes the spec.
}

/** The annotation that imports the resource `default-a`. */
export const IMPORTED = { "treadle.dev/external-name": "default-a" };
