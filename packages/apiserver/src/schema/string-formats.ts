/** The `format` keyword of strings. Only the formats that the real server checks are checked. */
import { isIP, isIPv4, isIPv6 } from "node:net";

/** Reports whether `text` does not have the format. */
export function formatError(format: string, text: string): boolean {
  const check = CHECKS[format.replaceAll("-", "")];
  return check !== undefined && !check(text);
}

/** Reports whether the real server knows the format of a type. It warns about other formats in a CRD. */
export function isKnownFormat(format: string, type: string): boolean {
  if (NUMBERS[type]?.includes(format) === true) return true;
  const name = format.replaceAll("-", "");
  return Object.hasOwn(CHECKS, name) || UNCHECKED.includes(name);
}

/** Formats of numbers, which are not checked. */
const NUMBERS: Readonly<Record<string, readonly string[]>> = { integer: ["int32", "int64"], number: ["float", "double"] };

/** Formats that are known but not checked here. */
const UNCHECKED: readonly string[] =
  "bsonobjectid isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor password k8sshortname k8slongname".split(" ");

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: (text) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$/.test(text) && !Number.isNaN(Date.parse(text)),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => /^([-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d|w))+$|^0$/.test(text.replaceAll(" ", "")),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hostname: (text) => /^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*$/.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: (text) => /^[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}$/.test(text),
  uri: isUri,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  byte: (text) => /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
};

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  const family = isIP(address);
  return rest.length === 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

function isUri(text: string): boolean {
  return text.startsWith("/") || URL.canParse(text);
}
