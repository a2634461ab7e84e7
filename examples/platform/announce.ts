/** Tells users of the platform where it is. The chain reaches this step when all objects of the set are ready. */
import { step } from "treadle";
import { Platform, systemOf } from "./platform.ts";

export const announce = step(Platform, {
  name: "announce",
  do(req) {
    req.status.address = systemOf(req.object);
  },
});
