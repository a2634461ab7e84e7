/** The operator's process. It looks at the namespaces of WATCH_NAMESPACES only, and needs no rights anywhere else. */
import { createManager } from "treadle";
import { rwExternal } from "./controller.ts";

const manager = createManager({ namespaces: (process.env["WATCH_NAMESPACES"] ?? "default").split(",") });
manager.add(rwExternal);
await manager.run();
