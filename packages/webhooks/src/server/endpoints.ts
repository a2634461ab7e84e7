/** The endpoints of webhooks: which path calls which of their functions, and with which limits. */
import type { TurnBudget } from "@treadle/apimachinery";
import { answerAdmission } from "../admission/answer.ts";
import type { CallEnv } from "../call.ts";
import { converterOf } from "../conversion/converter.ts";
import { convertReview } from "../conversion/review.ts";
import { SeenReasons } from "../conversion/seen-reasons.ts";
import type { AnyWebhooks } from "../definition.ts";
import { callPath, callTypesOf } from "../paths.ts";
import type { Endpoint } from "./listener.ts";
import { ByteBudget } from "./request-body.ts";
import { watched, type Watcher } from "./watched.ts";

/** The limit of an admission review, in bytes: an object has at most 3 MiB, and a review contains two. */
const MAX_ADMISSION_BYTES = 8 * 2 ** 20;

/** What endpoints need. */
export interface EndpointsOptions {
  readonly watcher: Watcher;
  /** Makes what the functions of authors get in one review. */
  readonly callEnv: (signal: AbortSignal) => CallEnv;
  /** How much one turn of the event loop converts. */
  readonly turns: TurnBudget;
  readonly maxConversionBytes: number;
  readonly maxBytes: number;
}

/** Returns the endpoints by path. */
export function endpointsOf(webhooks: readonly AnyWebhooks[], options: EndpointsOptions): ReadonlyMap<string, Endpoint> {
  const { watcher, callEnv, turns, maxConversionBytes, maxBytes } = options;
  const budget = new ByteBudget(maxBytes);
  // Large conversions must not keep admission reviews from an answer.
  const conversions = new ByteBudget(Math.max(maxConversionBytes, maxBytes - 8 * MAX_ADMISSION_BYTES), budget);
  const admission = { maxBytes: MAX_ADMISSION_BYTES, budget, isList: false };
  const conversion = { maxBytes: maxConversionBytes, option: "maxConversionBytes", budget: conversions, isList: true };
  return new Map(
    webhooks.flatMap((each) => {
      const called = watched(each, watcher);
      return callTypesOf(each).map((type): [string, Endpoint] => {
        const path = callPath(type, each);
        if (type !== "convert")
          return [
            path,
            { body: admission, answer: async (review, signal) => await answerAdmission(called, type, review, callEnv(signal)) },
          ];
        const converter = converterOf(called);
        const seen = new SeenReasons();
        const answer: Endpoint["answer"] = async (review, signal) =>
          await convertReview(converter, review, { ...callEnv(signal), turns, seen });
        return [path, { body: conversion, answer }];
      });
    }),
  );
}

/** Returns the paths that the webhooks have. */
export function pathsOf(webhooks: readonly AnyWebhooks[]): readonly string[] {
  return webhooks.flatMap((each) => callTypesOf(each).map((type) => callPath(type, each)));
}
