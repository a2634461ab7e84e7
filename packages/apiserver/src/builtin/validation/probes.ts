/** Validates probes and hooks of containers. */
import { portNumber, portReference } from "./formats.ts";
import { all, fields, mustBeOneOf, nonNegative, passes, type Rule, required, type Spot } from "./spot.ts";

const headerName: Rule = passes((text) =>
  /^[-A-Za-z0-9]+$/.test(text)
    ? []
    : [
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      ],
);

/** Returns the actions in the order in which they are checked: the first one counts. */
function handlers(graceSeconds: number | undefined): readonly (readonly [string, Rule])[] {
  const sleep: Rule = (spot) => {
    const seconds = spot.at("seconds").number;
    if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return;
    spot.invalid(`must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`, seconds);
  };
  return [...HANDLERS, ["sleep", sleep]];
}

const HANDLERS: readonly (readonly [string, Rule])[] = [
  ["exec", fields({ command: required })],
  [
    "httpGet",
    (spot) => {
      required(spot.at("path"));
      portReference(spot.at("port"));
      mustBeOneOf("HTTP", "HTTPS")(spot.at("scheme"));
      for (const header of spot.at("httpHeaders").items) headerName(header.at("name").named(`${spot.path}.httpHeaders`));
    },
  ],
  ["tcpSocket", fields({ port: portReference })],
  ["grpc", fields({ port: portNumber })],
];

function handler(spot: Spot, graceSeconds: number | undefined): void {
  let isFound = false;
  for (const [name, rule] of handlers(graceSeconds)) {
    const at = spot.at(name);
    if (!at.isSet) continue;
    if (isFound) at.forbidden("may not specify more than 1 handler type");
    else rule(at);
    isFound = true;
  }
  if (!isFound) spot.required("must specify a handler type");
}

const counts: Rule = fields({
  initialDelaySeconds: nonNegative,
  timeoutSeconds: nonNegative,
  periodSeconds: nonNegative,
  successThreshold: nonNegative,
  failureThreshold: nonNegative,
  terminationGracePeriodSeconds: (spot) => {
    if (spot.isSet && spot.number <= 0) spot.invalid("must be greater than 0");
  },
});

const probe: Rule = all((spot) => handler(spot, undefined), counts);

const onceEnough: Rule = (spot) => {
  const threshold = spot.at("successThreshold");
  if (threshold.number !== 1) threshold.invalid("must be 1", threshold.number);
};

const noGrace: Rule = (spot) => {
  const grace = spot.at("terminationGracePeriodSeconds");
  if (grace.isSet) grace.invalid("must not be set for readinessProbes");
};

const PROBES: readonly (readonly [string, Rule])[] = [
  ["livenessProbe", all(probe, onceEnough)],
  ["readinessProbe", all(probe, noGrace)],
  ["startupProbe", all(probe, onceEnough)],
];

/** Checks the probes and hooks of a container. */
export function watched(container: Spot, graceSeconds: number): void {
  const lifecycle = container.at("lifecycle");
  for (const name of ["postStart", "preStop"]) if (lifecycle.at(name).isSet) handler(lifecycle.at(name), graceSeconds);
  for (const [name, rule] of PROBES) if (container.at(name).isSet) rule(container.at(name));
}

/** Checks that an init container, which ends before the pod starts, has no probes and hooks. */
export function unwatched(container: Spot): void {
  for (const name of ["lifecycle", ...PROBES.map(([probeName]) => probeName)])
    if (container.at(name).isSet) container.at(name).forbidden("may not be set for init containers without restartPolicy=Always");
}
