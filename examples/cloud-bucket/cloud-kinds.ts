/** The kinds of the cloud provider. Another operator installs their CRDs, and writes their statuses. */
import { kind } from "treadle";

/** A role in the cloud. The provider writes its ARN when the role exists. */
export const CloudRole = kind<{ readonly spec: object; readonly status?: { readonly arn?: string } }>({
  group: "cloud.example.com",
  version: "v1",
  kind: "CloudRole",
});

/** A bucket in the cloud. Without a type, its fields are unknown. */
export const CloudBucket = kind({ group: "cloud.example.com", version: "v1", kind: "CloudBucket" });
