#!/usr/bin/env node
/** The program by which kubectl completes its plugin: kubectl starts `kubectl_complete-treadle` with the words of the command line. */
import { launch } from "./launch.ts";

launch("kubectl treadle", ["__complete", "kubectl", "--"]);
