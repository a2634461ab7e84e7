/** Health of objects, from their own status: `health()`. Pure functions over plain JSON. */
export { health, type HealthOptions } from "./health.ts";
export type { HealthHint } from "./hint.ts";
export type { Health } from "./verdict.ts";
