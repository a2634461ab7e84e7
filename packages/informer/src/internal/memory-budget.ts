/**
 * Estimates the memory that the caches of a process will need, before they are full. A page of a list has the number of the
 * remaining objects, and the objects received so far give the size of one.
 */
import { getHeapStatistics } from "node:v8";
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Forecast } from "../warnings.ts";

/** Heap for each byte of stored JSON: 4,401 bytes for a pod of 2,925 bytes without managedFields (bench/store.ts). */
const HEAP_PER_BYTE = 1.5;
/** Share of the limit for caches; the rest is for passes, requests, garbage and the process itself. */
const SHARE = 0.5;
/** The same share while the number of objects is unknown. */
const SHARE_SO_FAR = 0.25;
/** Measuring an object costs as much as serializing it, so only some objects are measured. */
const MEASURED_AT_FIRST = 16;
const MEASURED_LATER = 256;

/** Returns the memory limit of V8 or of the container, whichever is lower, in bytes. */
export function memoryLimitBytes(): number {
  const container = process.constrainedMemory();
  return Math.min(getHeapStatistics().heap_size_limit, oldSpaceBytes(), container > 0 ? container : Number.POSITIVE_INFINITY);
}

/**
 * The limit of the old space, where cached objects end up. The heap limit also counts the young space: 192 MB in Node 24,
 * even with an old space of 128 MB.
 */
function oldSpaceBytes(): number {
  const flags = [process.env["NODE_OPTIONS"] ?? "", ...process.execArgv].join(" ");
  const last = [...flags.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)].at(-1)?.[1];
  return last === undefined || Number(last) === 0 ? Number.POSITIVE_INFINITY : Number(last) * 1024 ** 2;
}

/** The memory estimate of all informers that share it. */
export class MemoryBudget {
  /** Memory that the process may use, in bytes. */
  readonly limitBytes: number;
  readonly #parts = new Set<MemoryPart>();

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /**
   * Adds a reflector.
   * @param onDoubt called for each measured object while the memory may not suffice
   */
  part(onDoubt: (forecast: Forecast) => void): MemoryPart {
    const part = new MemoryPart(() => {
      let bytesOfAll = 0;
      for (const { bytes } of this.#parts) bytesOfAll += bytes;
      const share = part.isTotalKnown ? SHARE : SHARE_SO_FAR;
      if (bytesOfAll <= share * this.limitBytes) return;
      const { objects, isTotalKnown, bytesEach } = part;
      onDoubt({ objects, isTotalKnown, bytesEach, bytesOfAll, limitBytes: this.limitBytes });
    });
    this.#parts.add(part);
    return part;
  }

  /** Removes a reflector. */
  remove(part: MemoryPart): void {
    this.#parts.delete(part);
  }
}

/** The estimate for one reflector. */
export class MemoryPart {
  readonly #onMeasured: () => void;
  #count = 0;
  #total: number | undefined;
  #measured = 0;
  #measuredBytes = 0;

  constructor(onMeasured: () => void) {
    this.#onMeasured = onMeasured;
  }

  /** Number of objects, as far as it is known. */
  get objects(): number {
    return Math.max(this.#count, this.#total ?? 0);
  }

  /** Whether the server reported the number of all objects. */
  get isTotalKnown(): boolean {
    return this.#total !== undefined;
  }

  /** Estimated heap for one object, in bytes. */
  get bytesEach(): number {
    return this.#measured === 0 ? 0 : (this.#measuredBytes / this.#measured) * HEAP_PER_BYTE;
  }

  /** Estimated heap for all objects, in bytes. */
  get bytes(): number {
    return this.objects * this.bytesEach;
  }

  /** Starts again, because a list begins. */
  begin(): void {
    this.#count = 0;
    this.#total = undefined;
    this.#measured = 0;
    this.#measuredBytes = 0;
  }

  /** Sets the number of objects on this page and the following ones. */
  expect(objects: number): void {
    this.#total = this.#count + objects;
  }

  /** Counts a stored object. */
  took(object: KubernetesObject): void {
    this.#count++;
    if (this.#count > MEASURED_AT_FIRST && this.#count % MEASURED_LATER !== 0) return;
    this.#measured++;
    this.#measuredBytes += JSON.stringify(object).length;
    if (this.#count >= MEASURED_AT_FIRST) this.#onMeasured();
  }
}
