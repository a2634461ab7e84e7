/** Reads credentials from a Secret. */
import { keyOf, type ObjectOf } from "@treadle/apimachinery";
import type { Secret } from "@treadle/apimachinery/kinds";
import { NotConnected } from "./errors.ts";

/**
 * Returns the text of a key of a Secret. Secrets of the server have their values in base64; `stringData` is read too, for Secrets
 * that a test made.
 * @throws NotConnected that names the Secret and the key, if the Secret or the key is missing, or the value is not a UTF-8 text
 */
export function secretText(secret: ObjectOf<typeof Secret> | undefined, key: string): string {
  if (secret === undefined)
    throw new NotConnected(`cannot read key "${key}" of the Secret: the config names no Secret, or it does not exist`);
  const where = `cannot read key "${key}" of Secret ${keyOf(secret.metadata)}`;
  const encoded = own(secret.data, key);
  if (encoded === undefined) {
    const text = own(secret.stringData, key);
    if (text !== undefined) return text;
    const keys = Object.keys({ ...secret.data, ...secret.stringData });
    const known = keys.length === 0 ? "the Secret has no keys" : `the Secret has ${keys.map((each) => `"${each}"`).join(", ")}`;
    throw new NotConnected(`${where}: it does not exist; ${known}`);
  }
  if (!BASE64.test(encoded)) throw new NotConnected(`${where}: its value is not base64`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, "base64"));
  } catch {
    // The error is not the cause of ours: nothing that was computed from the value leaves this function.
    throw new NotConnected(`${where}: its value is not a UTF-8 text`);
  }
}

const BASE64 = /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/;

function own(data: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
}
