/** The handler: one component. */
import { conditions, handler } from "treadle";
import { cloud } from "./cloud.ts";
import { MyApp } from "./my-app.ts";

export const myApp = handler(MyApp).step(conditions()).step(cloud).build();
