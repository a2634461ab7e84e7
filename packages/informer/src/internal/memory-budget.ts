/**
 * How much memory the caches of a process will take, known before they are full: a page of a list says how many objects
 * remain, and those that came say how large they are.
 */
import { getHeapStatistics } from "node:v8";
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Forecast } from "../warnings.ts";

/** Heap for each byte of JSON that is kept: 4,401 bytes for a pod of 2,925 bytes without managedFields (bench/store.ts). */
const HEAP_PER_BYTE = 1.5;
/** Of the limit; the rest is for passes, requests, garbage and the process itself. */
const SHARE = 0.5;
/** The same where it is not known how many are to come. */
const SHARE_SO_FAR = 0.25;
/** Measuring an object costs as much as making its JSON. */
const MEASURED_AT_FIRST = 16;
const MEASURED_LATER = 256;

/** What V8, or the container that the process is in, allows. */
export function memoryLimitBytes(): number {
  const container = process.constrainedMemory();
  return Math.min(getHeapStatistics().heap_size_limit, oldSpaceBytes(), container > 0 ? container : Number.POSITIVE_INFINITY);
}

/** Where what is kept ends up. The heap's limit counts the young space, too: 192 MB of it in Node 24, even where the old one may have 128. */
function oldSpaceBytes(): number {
  const flags = [process.env["NODE_OPTIONS"] ?? "", ...process.execArgv].join(" ");
  const last = [...flags.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)].at(-1)?.[1];
  return last === undefined || Number(last) === 0 ? Number.POSITIVE_INFINITY : Number(last) * 1024 ** 2;
}

export class MemoryBudget {
  readonly limitBytes: number;
  readonly #parts = new Set<MemoryPart>();

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** @param onDoubt called when it may not be enough, again with each object as long as it is so */
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

  remove(part: MemoryPart): void {
    this.#parts.delete(part);
  }
}

/** What one reflector keeps. */
export class MemoryPart {
  readonly #onMeasured: () => void;
  #count = 0;
  #total: number | undefined;
  #measured = 0;
  #measuredBytes = 0;

  constructor(onMeasured: () => void) {
    this.#onMeasured = onMeasured;
  }

  get objects(): number {
    return Math.max(this.#count, this.#total ?? 0);
  }

  get isTotalKnown(): boolean {
    return this.#total !== undefined;
  }

  get bytesEach(): number {
    return this.#measured === 0 ? 0 : (this.#measuredBytes / this.#measured) * HEAP_PER_BYTE;
  }

  get bytes(): number {
    return this.objects * this.bytesEach;
  }

  /** A list begins. */
  begin(): void {
    this.#count = 0;
    this.#total = undefined;
    this.#measured = 0;
    this.#measuredBytes = 0;
  }

  /** So many objects come with this page and after it, says the server. */
  expect(objects: number): void {
    this.#total = this.#count + objects;
  }

  /** `object` is kept. */
  took(object: KubernetesObject): void {
    this.#count++;
    if (this.#count > MEASURED_AT_FIRST && this.#count % MEASURED_LATER !== 0) return;
    this.#measured++;
    this.#measuredBytes += JSON.stringify(object).length;
    if (this.#count >= MEASURED_AT_FIRST) this.#onMeasured();
  }
}
