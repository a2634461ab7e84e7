/** A source that runs in virtual time, and what it reported. */
import { type FakeClock, fakeClock } from "@treadle/apimachinery";
import type { ConnectEnv, Origin, PluginSource } from "../src/connection.ts";

/** What a source reported, in order: `offer <name>`, `withdraw <name>`, or a line of the log. */
export interface Watched {
  readonly clock: FakeClock;
  readonly env: ConnectEnv;
  /** The reports since the last call. */
  news(): string[];
  /** The latest origin of a name. @throws Error without one */
  origin(name: string): Origin;
  /** Moves the clock, and waits until the source waits again. */
  pass(delayMs: number): Promise<void>;
  /** Waits until the source waits for the clock. */
  untilIdle(): Promise<void>;
  readonly started: Promise<void>;
  stop(): void;
}

/** Starts a source. `started` resolves when it does. */
export function watched(source: PluginSource): Watched {
  const clock = fakeClock();
  const origins = new Map<string, Origin>();
  let news: string[] = [];
  const ending = new AbortController();
  const line = (_: object, text: string): void => void news.push(text);
  const env: ConnectEnv = { clock, hide: String, random: { next: () => 0 }, log: { debug: line, info: line, warn: line, error: line } };
  const untilIdle = async (): Promise<void> => {
    while (clock.nextDue() === undefined) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    clock,
    env,
    news: () => news.splice(0),
    origin(name) {
      const origin = origins.get(name);
      if (origin === undefined) throw new Error(`no plugin ${name} was offered`);
      return origin;
    },
    untilIdle,
    async pass(delayMs) {
      await clock.advance(delayMs);
      await untilIdle();
    },
    started: source.start(
      {
        ...env,
        offer: (origin) => {
          origins.set(origin.name, origin);
          news.push(`offer ${origin.name}`);
        },
        withdraw: (name) => void news.push(`withdraw ${name}`),
      },
      ending.signal,
    ),
    stop: () => ending.abort(),
  };
}
