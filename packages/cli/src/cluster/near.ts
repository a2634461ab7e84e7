/** Finds the words that a user may have meant. */

/** Returns the candidates that are most like `word`, the best first, at most three; none if no candidate is like it. */
export function nearest(word: string, candidates: Iterable<string>): readonly string[] {
  const given = word.toLowerCase();
  const scored = [...new Set(candidates)].map((name) => ({ name, distance: distance(given, name.toLowerCase()) }));
  // A third of the letters may differ. Longer names that begin with the word are what a user began to write.
  const isNear = (each: { readonly name: string; readonly distance: number }): boolean =>
    each.distance <= Math.max(1, Math.floor(given.length / 3)) || (given.length >= 3 && each.name.toLowerCase().startsWith(given));
  const near = scored.filter(isNear).toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, 3).map(({ name }) => name);
}

/** Returns the edits between two words, two exchanged neighbours counting as one (optimal string alignment). */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    [before, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}
