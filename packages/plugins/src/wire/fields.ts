/**
 * Counts the fields of a message before it is decoded. Each field of 2 bytes becomes an object: 4 MiB of empty ones would block the operator
 * for a minute, and need gigabytes. Pure.
 */

/** The fields with messages in them, by number. */
export interface Shape {
  readonly [field: number]: Shape;
}

/** Maximum number of fields in a message and in the messages in it. */
export const MAX_FIELDS = 20_000;

/** Part of the text of the error about too many fields. */
export const TOO_MANY_FIELDS: string = `it has more than ${MAX_FIELDS} fields`;

/** `DescribeResponse` of `v1.proto`. */
export const DESCRIBE_SHAPE: Shape = { 2: {}, 4: {}, 5: {} };

/** `PlanResponse` of `v1.proto`. */
export const PLAN_SHAPE: Shape = { 1: { 1: {} }, 2: { 1: { 3: {}, 4: { 4: {} } } }, 3: {} };

/** Returns when a message has at most {@link MAX_FIELDS} fields. Bytes of another form are left to the decoder. @throws RangeError */
export function checkFields(bytes: Uint8Array, shape: Shape): void {
  let count = 0;
  const walk = (from: number, to: number, inner: Shape): void => {
    for (let at = from; at < to; ) {
      if (++count > MAX_FIELDS) throw new RangeError(TOO_MANY_FIELDS);
      const tag = varintAt(bytes, at);
      const length = tag.value % 8 === LENGTH ? varintAt(bytes, tag.end) : undefined;
      const begin = length?.end ?? tag.end;
      const end = length === undefined ? begin + (SIZES[tag.value % 8] ?? varintAt(bytes, begin).end - begin) : begin + length.value;
      const below = inner[Math.floor(tag.value / 8)];
      if (length !== undefined && below !== undefined) walk(begin, Math.min(end, to), below);
      at = end;
    }
  };
  walk(0, bytes.length, shape);
}

/** The wire type of bytes with their length. */
const LENGTH = 2;
/** The sizes of the other wire types; the groups of proto2 have marks only. Without one it is a varint. */
const SIZES: Readonly<Record<number, number>> = { 1: 8, 3: 0, 4: 0, 5: 4 };

/** Reads a number. It ends with the bytes. */
function varintAt(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = from, scale = 1; at < bytes.length; at++, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte % 128) * scale;
    if (byte < 128) return { value, end: at + 1 };
  }
  return { value, end: bytes.length };
}
