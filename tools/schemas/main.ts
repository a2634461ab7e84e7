/**
 * Writes `packages/apimachinery/src/schemas/definitions.ts` from the OpenAPI of a server. Run it after a step to another Kubernetes,
 * when `packages/apiserver/scripts/openapi.ts` has recorded the documents of its server:
 *
 *     node --conditions=@treadle/source tools/schemas/main.ts                 # from the recorded documents
 *     node --conditions=@treadle/source tools/schemas/main.ts KUBECONFIG      # from a server, by kubectl
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { definitionsModule } from "./generate.ts";
import { definitionsFile, parsed, recordedDocument } from "./recorded.ts";

const [kubeconfig] = process.argv.slice(2);
const text = await definitionsModule(
  kubeconfig === undefined
    ? recordedDocument
    : async (document) =>
        parsed(
          execFileSync("kubectl", ["--kubeconfig", kubeconfig, "get", "--raw", `/openapi/v3/${document}`], {
            encoding: "utf8",
            maxBuffer: 2 ** 28,
          }),
        ),
);
writeFileSync(definitionsFile, text);
console.log(`${definitionsFile}: ${text.match(/^(export )?const /gm)?.length ?? 0} definitions, ${text.length} bytes`);
