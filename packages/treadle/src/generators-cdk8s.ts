/** A renderer of cdk8s constructs for sets. An entry point apart: `cdk8s` and `constructs` are optional peer dependencies. */
export { cdk8s, type Cdk8sOptions, type ChartBuild } from "@treadle/generators/cdk8s";
