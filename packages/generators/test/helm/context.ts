/** Contexts of renderings for tests with the real Helm. */
import { systemClock } from "@treadle/apimachinery";
import type { RenderContext } from "@treadle/dependents";
import { type RenderHost, withHost } from "@treadle/dependents/unstable/render";
import { Programs, type ProgramsOptions } from "../../src/programs/programs.ts";

/** What a test chooses. */
export interface Given extends Partial<Omit<RenderContext, "cluster">> {
  /** The file of Helm. */
  readonly helm: string;
  /** The file of Kustomize. @defaultValue none */
  readonly kustomize?: string;
  /** What the server serves. @defaultValue an error when a chart asks */
  readonly kinds?: readonly string[];
  readonly host?: Partial<RenderHost>;
  readonly timeoutClock?: ProgramsOptions["timeoutClock"];
}

/** Returns a context with programs of its own. */
export function contextOf({ helm, kustomize, kinds, host, timeoutClock, ...given }: Given): RenderContext {
  const programs = new Programs({
    clock: systemClock,
    env: { TREADLE_HELM: helm, ...(kustomize && { TREADLE_KUSTOMIZE: kustomize }) },
    ...(timeoutClock && { timeoutClock }),
  });
  const shared = new Map<object, object>();
  const all = (): readonly string[] => {
    if (kinds === undefined) throw new Error("the chart asked what the server serves");
    return kinds;
  };
  const context = {
    reads: {},
    vars: {},
    live: {},
    release: { revision: 1, isInstall: true },
    cluster: { version: "v1.36.3", kinds: { all, has: (apiVersion: string) => all().includes(apiVersion) } },
    namespace: "shop",
    name: "redis",
    signal: new AbortController().signal,
    log: { debug() {}, info() {}, warn() {}, error() {} } as never, // No test looks at the log.
    ...given,
  };
  return withHost(context, {
    key: "owner set",
    prefixes: ["shops.example.dev"],
    clock: systemClock,
    shared: <V extends object>(key: object, make: () => V): V => {
      const made = (shared.get(key) as V | undefined) ?? make(); // Each value is of its key's type.
      const value = made instanceof Programs ? (programs as object as V) : made;
      shared.set(key, value);
      return value;
    },
    waker: () => () => undefined,
    hide: (text) => text,
    conceal: () => undefined,
    dependsOn: () => undefined,
    ...host,
  });
}
