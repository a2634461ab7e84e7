/** `@treadle/dependents/unstable/set`: for packages whose steps are a set and more. Not for operators; it may change in any version. */
export { type AnySetOptions, type OnRendered } from "../set/definition.ts";
export { setParts } from "../set/dependent-set.ts";
export { noAnswerIn } from "../set/render/no-answer.ts";
