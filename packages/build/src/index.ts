export { OperatorBuildError, type OperatorBuildErrorCode } from "./build-error.ts";
export { type BuildOptions, buildOperator, type BuildResult } from "./build-operator.ts";
