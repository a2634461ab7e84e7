/**
 * The live inputs of renderings: what changes while the process runs, such as a chart folder in development.
 *
 * Guarantees
 * - An operator has at most one listener for each input, for all owners whose rendering depends on it.
 * - An input that no rendering depends on has no listener; so has every input after the end of the operator.
 */
import type { DependentPass } from "../../extension/data.ts";
import type { LiveInput } from "./host.ts";

/** The versions of the live inputs of a rendering. */
export type LiveVersions = ReadonlyMap<LiveInput, LiveInput["version"]>;

/** The versions of a rendering without live inputs. */
export const NO_LIVE: LiveVersions = new Map();

/** Returns whether no input has another version now. */
export function isSameLive(versions: LiveVersions): boolean {
  for (const [input, version] of versions) if (input.version !== version) return false;
  return true;
}

/** The live inputs that one set of one owner follows. */
export class FollowedInputs implements Disposable {
  #versions = NO_LIVE;
  #listeners: LiveListeners | undefined;

  /** Triggers passes of the owner when one of these inputs changes, and no longer for those of an earlier call. */
  follow(versions: LiveVersions, pass: Pick<DependentPass, "shared" | "waker" | "isDryRun">): void {
    // A dry run triggers nothing.
    if (this.#versions === versions || pass.isDryRun) return;
    const before = this.#versions;
    this.#versions = versions;
    if (before.size === 0 && versions.size === 0) return;
    this.#listeners = pass.shared(LISTENERS, () => new LiveListeners());
    const wake = pass.waker();
    for (const input of versions.keys()) this.#listeners.add(input, this, wake);
    for (const input of before.keys()) if (!versions.has(input)) this.#listeners.remove(input, this);
  }

  [Symbol.dispose](): void {
    for (const input of this.#versions.keys()) this.#listeners?.remove(input, this);
    this.#versions = NO_LIVE;
  }
}

const LISTENERS: object = {};

interface Listened {
  readonly wakers: Map<object, (cause: string) => void>;
  readonly stop: () => void;
}

/** The listeners of an operator. */
class LiveListeners implements AsyncDisposable {
  readonly #inputs = new Map<LiveInput, Listened>();

  add(input: LiveInput, follower: object, wake: (cause: string) => void): void {
    let listened = this.#inputs.get(input);
    if (listened === undefined) {
      const wakers: Listened["wakers"] = new Map();
      const stop = input.onChange(() => {
        for (const each of wakers.values()) each("an input of the rendering has changed");
      });
      this.#inputs.set(input, (listened = { wakers, stop }));
    }
    listened.wakers.set(follower, wake);
  }

  remove(input: LiveInput, follower: object): void {
    const listened = this.#inputs.get(input);
    if (listened === undefined) return;
    listened.wakers.delete(follower);
    if (listened.wakers.size > 0) return;
    this.#inputs.delete(input);
    listened.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { stop } of this.#inputs.values()) stop();
    this.#inputs.clear();
  }
}
