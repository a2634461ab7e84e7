/** How requests end. */
import { isApiError } from "@treadle/apimachinery";

/** Returns what a request ended with: `accepted`, or status and message. @throws any error but an ApiError */
export async function outcomeOf(write: Promise<unknown>): Promise<string> {
  try {
    await write;
  } catch (error) {
    if (isApiError(error)) return `${error.status} ${error.message}`;
    throw error;
  }
  return "accepted";
}
