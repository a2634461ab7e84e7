/** Why a request is given up for now and handled again: a webhook must be asked first. */
import type { ServedVersion } from "../storage/registry.ts";
import type { Entry } from "../storage/store.ts";

/** The request waits for webhooks: handle it again when `settled` has resolved. */
export class Suspension extends Error {
  override readonly name = "Suspension";
  readonly settled: Promise<void>;

  constructor(settled: Promise<void>) {
    super("the request waits for webhooks");
    this.settled = settled;
  }
}

/** Thrown where a stored object was not read yet in a version that needs its webhook. */
export class UnreadError extends Error {
  override readonly name = "UnreadError";
  readonly entry: Entry;
  readonly version: ServedVersion;
  readonly storage: ServedVersion;

  constructor(entry: Entry, version: ServedVersion, storage: ServedVersion) {
    super("the object waits for its conversion");
    this.entry = entry;
    this.version = version;
    this.storage = storage;
  }
}
