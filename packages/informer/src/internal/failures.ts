/** Failures of a watch that concern the version at which it began. */
import { isApiError } from "@treadle/apimachinery";

/**
 * The server is behind a version that it reported before: etcd was restored, or the server was replaced. Its objects differ
 * from the known ones, and a watch would be silent until the server reaches our version.
 */
export class WentBackError extends Error {
  override readonly name = "WentBackError";

  constructor(what: string, from: string | undefined, to: string | undefined) {
    super(
      `watch of ${what}: the server went back from resourceVersion ${from} to ${to}; it was restored or replaced, so the informer lists again`,
    );
  }
}

/** Nothing came from the server for too long. */
export class TooQuietError extends Error {
  override readonly name = "TooQuietError";
}

/**
 * Tells whether the server refused the version. It is malformed for this server (400), or the server has not reached it (504
 * with the cause ResourceVersionTooLarge).
 */
export function isVersionRefused(error: unknown): boolean {
  if (!isApiError(error)) return false;
  return error.status === 400 || (error.status === 504 && error.causes.some(({ reason }) => reason === "ResourceVersionTooLarge"));
}
