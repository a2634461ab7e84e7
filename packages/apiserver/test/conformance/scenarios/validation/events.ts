/** Events in both API groups, of which the newer one requires more. */
import type { Table } from "./table.ts";

const created = `
  metadata.name = "A"
  metadata.namespace = "other"
  metadata.labels = {"a b": "c"}
  involvedObject.namespace = "other"
  involvedObject.namespace -
  involvedObject -
  type -
  type = "Odd"
  message = long(1024)
  message = long(1025)
  reason -
  reason = long(129)
  eventTime = "2026-01-02T03:04:05.000006Z"
  eventTime = "2026-01-02T03:04:05.000006Z" ; reportingComponent = "example.com/a" ; reportingInstance = "a" ; action = "Act" ; reason = "Why"
  eventTime = "2026-01-02T03:04:05.000006Z" ; involvedObject.namespace = "other" ; action = long(129) ; reason = long(129) ; message = long(1025)
  eventTime = "2026-01-02T03:04:05.000006Z" ; involvedObject.namespace - ; reportingComponent = "a b" ; reportingInstance = long(129)
  series = {"count": 1}
`;
const updated = `
  message = "other"
  reason = "Other"
  count = 7
  series = {"count": 1}
  involvedObject.name = "other"
  type = "Odd"
  metadata.labels = {"a b": "c"}
`;

/** Fields that the newer version requires, and fields that a new event must not have. */
const createdAnew = `
  metadata.name = "A"
  metadata.labels = {"a b": "c"}
  regarding.namespace = "other"
  regarding.namespace -
  regarding -
  eventTime -
  eventTime - ; regarding.namespace = "other"
  eventTime - ; regarding -
  type -
  type = ""
  type = "Odd"
  reason -
  reason = long(128)
  reason = long(129)
  note = long(1024)
  note = long(1025)
  note -
  action -
  action = long(129)
  reportingController -
  reportingController = "a b"
  reportingController = "a/b/c"
  reportingController = long(64)
  reportingInstance -
  reportingInstance = long(128)
  reportingInstance = long(129)
  series = {}
  series = {"count": 1}
  series = {"count": 2}
  series = {"count": 2, "lastObservedTime": "2026-01-02T03:04:05.000006Z"}
  series = {"count": 1, "lastObservedTime": "2026-01-02T03:04:05.000006Z"}
  deprecatedCount = 1
  deprecatedFirstTimestamp = "2026-01-02T03:04:05Z"
  deprecatedLastTimestamp = "2026-01-02T03:04:05Z"
  deprecatedSource = {"component": "a"}
  deprecatedSource = {"host": "a"} ; deprecatedCount = 1 ; deprecatedFirstTimestamp = "2026-01-02T03:04:05Z" ; deprecatedLastTimestamp = "2026-01-02T03:04:05Z" ; type = "" ; eventTime - ; series = {}
`;
const updatedAnew = `
  note = "other"
  reason = "Other"
  action = "Other"
  type = "Warning"
  type = "Odd"
  eventTime = "2026-01-02T03:04:05.000007Z"
  eventTime -
  regarding.name = "other"
  regarding.namespace = "other"
  related = {"kind": "Pod", "name": "a"}
  reportingController = "example.com/b"
  reportingController -
  reportingInstance = "other"
  series = {"count": 1}
  series = {"count": 2, "lastObservedTime": "2026-01-02T03:04:05.000006Z"}
  deprecatedCount = 1
  deprecatedFirstTimestamp = "2026-01-02T03:04:05Z"
  deprecatedLastTimestamp = "2026-01-02T03:04:05Z"
  deprecatedSource = {"component": "a"}
  metadata.labels = {"a b": "c"}
  note = "other" ; reason = "Other" ; action = "Other" ; type = "Warning" ; regarding.name = "other" ; related = {"kind": "Pod"} ; reportingController = "b" ; reportingInstance = "c" ; deprecatedCount = 1 ; deprecatedSource = {"component": "a"} ; eventTime = "2026-01-02T03:04:05.000007Z" ; deprecatedFirstTimestamp = "2026-01-02T03:04:05Z" ; deprecatedLastTimestamp = "2026-01-02T03:04:05Z"
`;

export const eventTables: readonly Table[] = [
  {
    apiVersion: "v1",
    kind: "Event",
    plural: "events",
    about: "of the core",
    base: (namespace) => ({ involvedObject: { kind: "Pod", name: "a", namespace }, reason: "Why", message: "so", type: "Normal" }),
    created,
    updated,
  },
  {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    plural: "events",
    base: (namespace) => ({
      regarding: { kind: "Pod", name: "a", namespace },
      reason: "Why",
      note: "so",
      type: "Normal",
      action: "Act",
      eventTime: "2026-01-02T03:04:05.000006Z",
      reportingController: "example.com/a",
      reportingInstance: "a",
    }),
    created: createdAnew,
    updated: updatedAnew,
  },
];
