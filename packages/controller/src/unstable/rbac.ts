/**
 * `@treadle/controller/unstable/rbac`: the rights of an operator as data, and those of its manager. For tools that print or
 * check rights. Not for operators; it may change in any version.
 */
export { boundRole, type BoundRole } from "../rbac/bound-role.ts";
export { leaseRights, leasesOf } from "../rbac/leases.ts";
export { reviewRights, reviewsAccess } from "../rbac/reviews.ts";
export { rbacComments, rightTarget } from "../rbac/rules.ts";
export { type RightsHolder, rightsHolderOf } from "../rbac/rights-holder.ts";
