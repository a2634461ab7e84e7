/** The wire format of protobuf: a sequence of field numbers with their values. */

/** Bytes that are not a protobuf message. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** A field on the wire: a number, or bytes. The type decides whether the bytes are a string, a message or bytes. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | number | Buffer;
}

const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5] as const;

/** Returns the fields of a message in their order. @throws WireError */
export function* fieldsIn(message: Buffer): Generator<WireField> {
  const at = { offset: 0 };
  while (at.offset < message.length) {
    const tag = Number(varint(message, at));
    const number = Math.floor(tag / 8);
    if (number === 0) throw new WireError(`proto: illegal tag ${number} (wire type ${tag % 8})`);
    yield { number, value: valueOf(message, at, tag % 8) };
  }
}

/** Returns the integers of a field that can hold several in one value. @throws WireError */
export function packedIntegers(value: Buffer): number[] {
  const at = { offset: 0 };
  const integers: number[] = [];
  while (at.offset < value.length) integers.push(signed(varint(value, at)));
  return integers;
}

/** Converts a varint to int32, int64 or bool, which have 64 bits in two's complement. */
export function signed(value: bigint): number {
  return Number(BigInt.asIntN(64, value));
}

function valueOf(message: Buffer, at: { offset: number }, type: number): WireField["value"] {
  switch (type) {
    case VARINT:
      return varint(message, at);
    case FIXED64:
      return taken(message, at, 8).readDoubleLE();
    case BYTES:
      return taken(message, at, Number(varint(message, at)));
    case FIXED32:
      return taken(message, at, 4).readFloatLE();
    default:
      throw new WireError(`proto: illegal wireType ${type}`);
  }
}

function taken(message: Buffer, at: { offset: number }, length: number): Buffer {
  const end = at.offset + length;
  if (end > message.length) throw new WireError("unexpected EOF");
  const part = message.subarray(at.offset, end);
  at.offset = end;
  return part;
}

/** Reads a varint, which has at most ten bytes of seven bits. */
function varint(message: Buffer, at: { offset: number }): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = message[at.offset++];
    if (byte === undefined) throw new WireError("unexpected EOF");
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw new WireError("proto: integer overflow");
}

/** Makes a field of bytes: a string, a message or bytes. */
export function bytesField(number: number, value: Buffer): Buffer {
  return Buffer.concat([varintOf(BigInt(number * 8 + BYTES)), varintOf(BigInt(value.length)), value]);
}

/** Makes a field of an integer or a boolean. */
export function integerField(number: number, value: bigint): Buffer {
  return Buffer.concat([varintOf(BigInt(number * 8 + VARINT)), varintOf(BigInt.asUintN(64, value))]);
}

export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varintOf(BigInt(number * 8 + FIXED64)), bytes]);
}

function varintOf(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
