/** The component: a role, and a bucket that gets the ARN of the role. */
import { component, dependentApply } from "treadle";
import { CloudBucket, CloudRole } from "./cloud-kinds.ts";
import { isSuspended, MyApp } from "./my-app.ts";

const role = dependentApply(MyApp, {
  name: "role",
  kind: CloudRole,
  desired: (app) => ({ spec: { service: app.metadata.name } }),
  gives: { roleArn: ({ status }) => status?.arn },
});
const bucket = dependentApply(MyApp, {
  name: "bucket",
  kind: CloudBucket,
  needs: [role],
  desired: (app, { vars }) => ({ spec: { region: app.spec.region, roleARN: vars.roleArn } }),
});
export const cloud = component(MyApp, { name: "cloud", condition: "CloudReady", suspended: isSuspended, resources: [role, bucket] });
