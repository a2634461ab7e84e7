/** Loggers that add fields to each line. */
import type { Logger } from "../req.ts";
import type { Pass } from "../record/pass-state.ts";

/**
 * A logger that adds `context` to each line. A field of the caller with the name of one of them is put under `fields`: it may
 * not replace the field that says what the line is about.
 */
export function withContext(
  log: Logger,
  context: Readonly<Record<string, unknown>>,
  reserved: ReadonlySet<string> = new Set(Object.keys(context)),
): Logger {
  const line = (data: object): object => {
    const taken = Object.keys(data ?? {}).filter((name) => reserved.has(name));
    if (taken.length === 0) return { ...context, ...data };
    const given = data as Readonly<Record<string, unknown>>;
    const kept = Object.entries(given).filter(([name]) => !taken.includes(name));
    const moved = Object.fromEntries(taken.map((name) => [name, given[name]]));
    return { ...context, ...Object.fromEntries(kept), fields: { ...(given["fields"] as object | undefined), ...moved } };
  };
  return {
    debug: (data, text) => log.debug(line(data), text),
    info: (data, text) => log.info(line(data), text),
    warn: (data, text) => log.warn(line(data), text),
    error: (data, text) => log.error(line(data), text),
  };
}

/** As {@link withContext}, for the lines of a step: they name no other object, controller or pass, and hold no values of Secrets. */
export function stepLogger(log: Logger, step: string, { secrets }: Pick<Pass, "secrets">): Logger {
  const inContext = withContext(log, { step }, RESERVED);
  if (secrets === undefined) return inContext;
  return {
    debug: (data, text) => inContext.debug(secrets.hideIn(data), secrets.hide(text)),
    info: (data, text) => inContext.info(secrets.hideIn(data), secrets.hide(text)),
    warn: (data, text) => inContext.warn(secrets.hideIn(data), secrets.hide(text)),
    error: (data, text) => inContext.error(secrets.hideIn(data), secrets.hide(text)),
  };
}

/** Fields of every line of a pass. */
const RESERVED: ReadonlySet<string> = new Set(["controller", "kind", "object", "reconcileID", "step"]);
