/** `@treadle/webhooks/testing`: checks for tests of webhooks. */
export { RoundTripError, type RoundTripOptions, roundTrips } from "./round-trips.ts";
