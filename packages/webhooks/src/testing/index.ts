/** `@treadle/webhooks/testing`: checks for tests of webhooks. */
export { type AnyVersionOf, RoundTripError, type RoundTripOptions, roundTrips } from "./round-trips.ts";
