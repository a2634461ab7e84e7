/** Reads from a review what a log line names: any part of it may be missing or of another type. */
import { own } from "../json.ts";

/** The fields of a log line about a review. */
export interface ReviewFacts {
  readonly uid?: string;
  readonly user?: string;
  readonly operation?: string;
  /** `namespace/name`, or the name of an object without a namespace. */
  readonly object?: string;
}

/** Returns the facts of a parsed body. Never throws. */
export function reviewFacts(review: unknown): ReviewFacts {
  const request = own(review, "request");
  const [uid, operation, name, namespace] = ["uid", "operation", "name", "namespace"].map((field) => textOf(own(request, field)));
  const user = textOf(own(own(request, "userInfo"), "username"));
  // An object with generateName has no name yet.
  const named = name ?? textOf(own(own(own(request, "object"), "metadata"), "generateName"));
  const object = named === undefined || namespace === undefined ? named : `${namespace}/${named}`;
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(user === undefined ? {} : { user }),
    ...(operation === undefined ? {} : { operation }),
    ...(object === undefined ? {} : { object }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
