#!/usr/bin/env node
/** The plugin of kubectl: `kubectl treadle explain ...`. kubectl passes all arguments on, its own flags included. */
import { launch } from "./launch.ts";

launch("kubectl treadle");
