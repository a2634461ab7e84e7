/**
 * What `promise` gives, or a rejection with the signal's reason as soon as that is aborted, whether or not what is waited for
 * cares for the signal. It is not ended by that; that it fails later is nobody's unhandled rejection.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    const end = (): void => signal.removeEventListener("abort", onAbort);
    promise.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}
