/**
 * Answers a ConversionReview (apiextensions.k8s.io/v1), which has up to a whole list of objects. It works in slices of the event loop, so
 * probes, timers and other reviews go on.
 *
 * The protocol has one result for all objects: one that fails stops every list of the kind. So a broken annotation is never a failure.
 */
import { type KubernetesObject, TurnBudget } from "@treadle/apimachinery";
import { statusMessage, withoutSecrets } from "@treadle/reconcile/unstable/engine";
import { type CallEnv, CallError } from "../call.ts";
import type { Converter } from "./converter.ts";
import { ConversionError } from "./errors.ts";
import { nameOf } from "./functions.ts";
import { isObject, type Json } from "../json.ts";
import { SeenReasons } from "./seen-reasons.ts";

/** What a conversion needs besides the review. */
export interface ConvertEnv extends Pick<CallEnv, "log" | "signal" | "onIgnored"> {
  /** How much one turn of the event loop converts. Reviews that run together share one. @defaultValue {@link conversionTurns} for the review alone */
  readonly turns?: TurnBudget;
  /** What was logged of ignored annotations. @defaultValue nothing, so that the review logs each of them */
  readonly seen?: SeenReasons;
}

/** The answer to a conversion review. */
export interface ConversionAnswer {
  /** `apiextensions.k8s.io/v1`. */
  readonly apiVersion: string;
  /** `ConversionReview`. */
  readonly kind: string;
  /** The response. */
  readonly response: {
    /** The uid of the request. */
    readonly uid: string;
    /** Whether all objects were converted. */
    readonly result: { readonly status: "Success" } | { readonly status: "Failed"; readonly message: string };
    /** The objects in the order of the request; empty when one failed. */
    readonly convertedObjects: readonly KubernetesObject[];
  };
}

/** Returns a budget for conversions: slices of at most 10 ms, with the last object and the collections of garbage. */
export function conversionTurns(): TurnBudget {
  return new TurnBudget({ maxMs: 5 });
}

/**
 * Converts the objects of a review. The objects are frozen.
 *
 * An unknown version, and a function of the author that throws or returns no object, give the result `Failed` with the code and the name of the
 * object; the cause is logged once, but not for a kind that is cached as metadata. An ignored annotation is reported to `onIgnored`, and logged as a warning once for each object.
 *
 * @throws CallError with status 400 when `review` is not a review of v1; the signal's reason when it is aborted
 */
export async function convertReview(
  converter: Converter,
  review: unknown,
  { log, signal, onIgnored, turns = conversionTurns(), seen = new SeenReasons() }: ConvertEnv,
): Promise<ConversionAnswer> {
  const { uid, desiredAPIVersion, objects } = requestOf(review);
  const { kind } = converter.kind;
  // No cache holds the contents of such a kind, so no log does.
  const isSecret = converter.kind.cachedAs === "metadata";
  const converted: KubernetesObject[] = [];
  for (const object of objects) {
    await turns.next(signal);
    const name = nameOf(object);
    const ignore = (reason: string): void => {
      if (seen.isNew(object.metadata.uid ?? name, reason))
        log.warn({ kind, object: name, reason }, `the annotation treadle.dev/conversion of ${kind} ${name} is ignored: ${reason}`);
      onIgnored(kind, name, reason);
    };
    try {
      converted.push(converter.convert(object, desiredAPIVersion, ignore));
    } catch (error) {
      if (!(error instanceof ConversionError)) throw named(error, { kind, name, isSecret });
      log.error({ kind, object: name, code: error.code, ...(isSecret ? {} : causeOf(error)) }, error.message);
      return answer(uid, { result: { status: "Failed", message: `${error.code}: ${error.message}` }, convertedObjects: [] });
    }
  }
  return answer(uid, { result: { status: "Success" }, convertedObjects: converted });
}

/** What no function of the author threw is our mistake: at least the object is named, because it stops every list of its kind. */
function named(
  cause: unknown,
  { kind, name, isSecret }: { readonly kind: string; readonly name: string; readonly isSecret: boolean },
): Error {
  if (isSecret) return new Error(`cannot convert ${kind} ${name}: the reason is left out, because it may contain values of the ${kind}`);
  return new Error(`cannot convert ${kind} ${name}: ${statusMessage(cause)}`, { cause });
}

const API_VERSION = "apiextensions.k8s.io/v1";

function answer(uid: string, rest: Omit<ConversionAnswer["response"], "uid">): ConversionAnswer {
  return { apiVersion: API_VERSION, kind: "ConversionReview", response: { uid, ...rest } };
}

/** Where the author's function threw, for the operator's log. */
function causeOf({ cause }: ConversionError): { readonly error?: string } {
  try {
    return cause === undefined ? {} : { error: withoutSecrets(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)) };
  } catch {
    return { error: "a value that cannot be shown" };
  }
}

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubernetesObject[];
}

function requestOf(review: unknown): ConversionRequest {
  if (!isObject(review)) throw refused("the body is not an object");
  const { apiVersion, kind, request } = review;
  if (kind !== "ConversionReview" || apiVersion !== API_VERSION)
    throw refused(`the body is ${shown(kind)} of ${shown(apiVersion)}: the CRD must list v1 in conversionReviewVersions`);
  if (!isObject(request)) throw refused("it has no request");
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== "string" || uid === "") throw refused("request.uid is not a text");
  if (typeof desiredAPIVersion !== "string" || desiredAPIVersion === "") throw refused("request.desiredAPIVersion is not a text");
  if (!Array.isArray(objects)) throw refused("request.objects is not a list");
  const broken = objects.findIndex((object) => !isKubernetesObject(object));
  if (broken >= 0) throw refused(`request.objects[${broken}] is not an object with apiVersion, kind and metadata`);
  return { uid, desiredAPIVersion, objects: objects as readonly KubernetesObject[] }; // checked above
}

function isKubernetesObject(object: unknown): boolean {
  if (!isObject(object) || !isObject(object["metadata"])) return false;
  const { apiVersion, kind, metadata } = object as { readonly [name: string]: unknown; readonly metadata: Json };
  const { annotations } = metadata;
  return (
    typeof apiVersion === "string" &&
    typeof kind === "string" &&
    (annotations === undefined || annotations === null || isObject(annotations))
  );
}

/** A short form of what should be a name. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 64)) : "nothing";
}

function refused(why: string): CallError {
  return new CallError(400, "ERR_INVALID_REVIEW", `this is not a ConversionReview of ${API_VERSION}: ${why}`);
}
