/** Randomness as a service: whatever makes jitter or identifiers gets it as a parameter, so that tests are repeatable. */

/** A source of random numbers. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
}

/** Unpredictable numbers, for production. They are not fit for secrets. */
export const systemRandom: Random = { next: () => Math.random() };

/** Creates a source that returns the same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = state;
      t = Math.imul(t ^ (t >>> 15), t | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** Returns `length` random lower-case letters and digits, as the API server appends them to `generateName`. */
export function randomName(random: Random, length: number): string {
  // The server leaves out vowels and look-alikes (k8s.io/apimachinery util/rand).
  const alphabet = "bcdfghjklmnpqrstvwxz2456789";
  let name = "";
  for (let i = 0; i < length; i++) name += alphabet[Math.floor(random.next() * alphabet.length)];
  return name;
}
