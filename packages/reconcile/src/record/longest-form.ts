/**
 * Finds the longest of many forms with which a text continues at a position. The steps grow with the logarithm of their number, also if all
 * begin alike or each begins with the others. Pure.
 */

/** A form, and the forms with which it begins. */
export interface SortedForm {
  readonly form: string;
  /** Index of the longest other form with which it begins; -1: there is none. */
  readonly parent: number;
  /** Index of a shorter one, several parents away; -1: there is none. */
  readonly jump: number;
  /** Number of forms with which it begins, itself included. */
  readonly depth: number;
}

/** Prepares forms for {@link longestAt}. */
export function sortedForms(forms: ReadonlySet<string>): readonly SortedForm[] {
  const sorted: SortedForm[] = [];
  let above = -1;
  for (const form of Array.from(forms).toSorted()) {
    // A form follows all forms with which it begins, and between them are only others that begin with them.
    let parent = above;
    while (parent !== -1 && !form.startsWith(sorted[parent]?.form ?? "")) parent = sorted[parent]?.parent ?? -1;
    const [over, farther] = [sorted[parent], sorted[sorted[parent]?.jump ?? -1]];
    const depth = (over?.depth ?? 0) + 1;
    // Two jumps of one length become one of double length.
    const isDouble =
      over !== undefined && farther !== undefined && over.depth - farther.depth === farther.depth - depthAt(sorted, farther.jump);
    above = sorted.push({ form, parent, jump: isDouble ? farther.jump : parent, depth }) - 1;
  }
  return sorted;
}

/** Returns the length of the longest form with which `text` continues at a position; 0 without one. */
export function longestAt(forms: readonly SortedForm[], text: string, at: number): number {
  const rest = text.slice(at);
  let [from, to] = [0, forms.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((forms[middle]?.form ?? "") <= rest) from = middle + 1;
    else to = middle;
  }
  // All forms with which the rest begins are the last one that is not after it, or parents of that.
  for (let each = forms[from - 1]; each !== undefined; ) {
    if (rest.startsWith(each.form)) return each.form.length;
    const farther = forms[each.jump];
    each = farther === undefined || rest.startsWith(farther.form) ? forms[each.parent] : farther;
  }
  return 0;
}

function depthAt(sorted: readonly SortedForm[], index: number): number {
  return sorted[index]?.depth ?? 0;
}
