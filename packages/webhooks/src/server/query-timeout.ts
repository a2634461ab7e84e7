/** The timeout that the API server writes into the query of a call: `?timeout=10s`. */

/** Milliseconds of the units of Go's `time.Duration`. */
const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const DURATION = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h)){1,4}$/;
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** Returns the timeout of a call in milliseconds; `undefined` when the query has none, or garbage. */
export function queryTimeoutMs(url: string): number | undefined {
  const query = url.indexOf("?");
  const text = query === -1 ? null : new URLSearchParams(url.slice(query + 1)).get("timeout");
  if (text === null || !DURATION.test(text)) return undefined;
  const ms = [...text.matchAll(PART)].reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (UNITS[unit] ?? 0), 0);
  // A server that waits for no time does not mean it: client-go sends no timeout then.
  return ms > 0 ? ms : undefined;
}
