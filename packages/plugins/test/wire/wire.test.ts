import { fileURLToPath } from "node:url";
import { wireSuite } from "./suite.ts";

wireSuite("TypeScript", {
  postgres: fileURLToPath(new URL("../../../../examples/capabilities/typescript/kube-postgres.ts", import.meta.url)),
  wireTest: fileURLToPath(new URL("./wire-test.ts", import.meta.url)),
});
