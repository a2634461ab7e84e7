/** What the server adds to CertificateSigningRequests (registry `certificates`). */
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt } from "../internal/read.ts";
import { secondsOf } from "../objects/object-meta.ts";
import type { Clock } from "@treadle/apimachinery";
import type { UserInfo } from "../authorization/identity.ts";
import type { Draft } from "../storage/stored-object.ts";

interface Given {
  readonly clock: Clock;
  readonly user: UserInfo;
}

/** Adds the sender to a new request. A write of the status does not change approvals, and new conditions get their times. */
export function prepareCertificateRequest(draft: Draft, previous: JsonObject | undefined, { clock, user }: Given): void {
  if (previous === undefined) {
    const { username: _, uid: __, groups: ___, extra: ____, ...asked } = objectAt(draft, "spec");
    draft["spec"] = { ...asked, ...senderIn(user) };
  }
  const status = draft["status"];
  if (previous === undefined || !isObject(status) || !Array.isArray(status["conditions"])) return;
  const before = listAt(previous, "status", "conditions");
  const now = secondsOf(clock.now());
  const conditions = listAt(status, "conditions").map((condition) => {
    const same = before.find(({ type, status: value }) => type === condition["type"] && value === condition["status"]);
    const { lastUpdateTime, lastTransitionTime } = condition;
    return {
      ...condition,
      lastUpdateTime: lastUpdateTime ?? now,
      lastTransitionTime: lastTransitionTime ?? same?.["lastTransitionTime"] ?? now,
    };
  });
  draft["status"] = { ...status, conditions };
}

/** Returns the result of a write to `approval`: metadata and all conditions, but not the certificate. */
export function approved(sent: JsonObject, live: JsonObject): JsonObject {
  const { conditions: _, ...status } = objectAt(live, "status");
  const conditions = listAt(sent, "status", "conditions");
  return {
    ...live,
    metadata: sent["metadata"] ?? live["metadata"],
    status: { ...status, ...(conditions.length === 0 ? {} : { conditions }) },
  };
}

function senderIn({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
