/** Failures of a watch that say something about the version from which it was to begin. */
import { isApiError } from "@treadle/apimachinery";

/**
 * The server is behind what it said before: etcd was restored, or the server begun anew. What it has now is not what we
 * know, and it would be silent until it comes to our version.
 */
export class WentBackError extends Error {
  override readonly name = "WentBackError";

  constructor(what: string, from: string | undefined, to: string | undefined) {
    super(
      `watch of ${what}: the server went back from resourceVersion ${from} to ${to}; it was restored or replaced, so everything is listed again`,
    );
  }
}

export class TooQuietError extends Error {
  override readonly name = "TooQuietError";
}

/** Not a version of this server (400), or one that it has not come to (504 with the cause ResourceVersionTooLarge). */
export function isVersionRefused(error: unknown): boolean {
  if (!isApiError(error)) return false;
  return error.status === 400 || (error.status === 504 && error.causes.some(({ reason }) => reason === "ResourceVersionTooLarge"));
}
