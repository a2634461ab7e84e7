/** The operator's process. It watches only the namespaces of WATCH_NAMESPACES, and needs no rights in others. */
import { createManager } from "treadle";
import { rwExternal } from "./controller.ts";

const manager = createManager({ namespaces: (process.env["WATCH_NAMESPACES"] ?? "default").split(",") });
manager.add(rwExternal);
await manager.run();
