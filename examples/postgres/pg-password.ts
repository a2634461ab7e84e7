/**
 * Passwords as PostgreSQL stores them: SCRAM-SHA-256 verifiers (RFC 5803). The server never gets the password in a statement, so no log
 * of statements contains it, and the operator can tell whether a role still has its password.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";

/** PostgreSQL's own number. */
const ITERATIONS = 4_096;

/** Returns a verifier of the password, with a random salt. */
export function verifierOf(password: string): string {
  return verifier(password, randomBytes(16), ITERATIONS);
}

/** Whether `stored` is a verifier of the password. Verifiers of other kinds, such as md5, are not. */
export function isVerifierOf(stored: string | null, password: string): boolean {
  const [, iterations, salt] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(stored ?? "") ?? [];
  if (stored === null || iterations === undefined || salt === undefined) return false;
  const expected = Buffer.from(verifier(password, Buffer.from(salt, "base64"), Number(iterations)));
  const actual = Buffer.from(stored);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function verifier(password: string, salt: Buffer, iterations: number): string {
  const salted = pbkdf2Sync(password.normalize("NFKC"), salt, iterations, 32, "sha256");
  const storedKey = createHash("sha256").update(hmac(salted, "Client Key")).digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${hmac(salted, "Server Key").toString("base64")}`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
