/** A transport that applies faults to its requests. */
import { type ApiRequest, type ApiResponse, sleep, type Transport } from "@treadle/apimachinery";
import { describeRequest } from "../internal/request-description.ts";
import type { RecordedRequest } from "../requests.ts";
import { answerTo, connectionReset, never } from "./answers.ts";
import type { FaultSet } from "./faults.ts";
import { staleRequest } from "./stale.ts";
import { faultyStream } from "./stream.ts";

type Target = Omit<RecordedRequest, "status">;

/** Applies `faults` to the requests of `transport`. Without faults it adds nothing, not even a turn of the event loop. */
export function faultyTransport(transport: Transport, faults: FaultSet): Transport {
  return {
    request: (request) => {
      const isWatch = /[?&]watch=(true|1)(&|$)/.test(request.path);
      if (faults.isEmpty && !isWatch) return observed(transport.request(request), faults);
      return faulty(transport, faults, request);
    },
    close: () => transport.close(),
  };
}

async function faulty(transport: Transport, faults: FaultSet, request: ApiRequest): Promise<ApiResponse> {
  const target = describeRequest(request);
  const fault = faults.onRequest(target);
  const answer = fault === undefined ? undefined : answerTo(fault, target);
  if (answer !== undefined) return answer;
  switch (fault?.type) {
    case "reset":
      throw connectionReset("injected, before the request reached the server");
    case "halfOpen":
      return await faults.holding(never(request.signal));
    case "lostResponse":
      await transport.request(request);
      throw connectionReset("injected, after the answer of the server");
    case "delay":
      await faults.holding(sleep(faults.clock, fault.ms ?? 1_000, request.signal));
      break;
    case "staleList":
      return opened(await staleRequest(transport, request, fault.resourceVersion ?? "1"), faults, target);
    case undefined:
    case "conflict":
    case "gone":
    case "serverError":
    case "tooManyRequests":
      break;
  }
  return opened(await observed(transport.request(request), faults), faults, target);
}

function opened(response: ApiResponse, faults: FaultSet, target: Target): ApiResponse {
  if (response.stream === undefined || target.verb !== "watch") return response;
  return { ...response, stream: faultyStream(response.stream, faults, target) };
}

/** Notes the version of the server in an answer. */
async function observed(response: Promise<ApiResponse>, faults: FaultSet): Promise<ApiResponse> {
  const answer = await response;
  if (answer.body !== undefined && answer.status < 300) faults.saw(versionIn(answer.body));
  return answer;
}

/** The resourceVersion of a list or an object, without parsing a body that may be large. */
function versionIn(body: string): string | undefined {
  return /"resourceVersion":\s*"(\d+)"/.exec(body.slice(0, 4_000))?.[1];
}
