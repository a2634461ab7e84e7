/** What admission needs to know of a write. */
import type { Access } from "../authorization/access.ts";
import type { UserInfo } from "../authorization/identity.ts";
import type { Conversions } from "../crd/conversion-webhooks.ts";
import type { Deliberation } from "../request/deliberation.ts";
import type { ResourceRoute } from "../request/routes.ts";
import type { Registry, Served } from "../storage/registry.ts";
import type { Store } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import type { JsonObject } from "../internal/json.ts";
import type { ObjectKind, Operation } from "./matching.ts";

/** The part of a request that admission needs. */
export interface AdmittedCall {
  readonly parts: {
    readonly store: Store;
    readonly registry: Registry;
    readonly conversions: Conversions;
    readonly access: Pick<Access, "authorizer">;
  };
  readonly user: UserInfo;
  readonly route: ResourceRoute;
  readonly query: URLSearchParams;
  readonly served: Served;
  readonly warnings: string[];
  /** Absent for writes of the server itself. */
  readonly deliberation?: Deliberation | undefined;
}

export interface AdmittedWrite {
  readonly operation: Operation;
  /** Absent for a deletion. */
  readonly draft: Draft | undefined;
  readonly live: StoredObject | undefined;
  readonly subresource: string;
  readonly isDryRun: boolean;
}

/** A write, or a connection, whose object has a kind of its own. */
export interface AdmittedPart {
  readonly operation: Operation;
  readonly kind: ObjectKind;
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
  readonly isDryRun: boolean;
}
