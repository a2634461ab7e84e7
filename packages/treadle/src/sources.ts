/**
 * What starts passes besides events: `manager.add(handler, { sources: [poll({ ... })] })`, and schedules for `poll()` and
 * `periodic()`. An entry point of its own, so that who needs none of it does not load the parser of schedules.
 */
export {
  type Channel,
  channel,
  type ChannelOptions,
  type DynamicWatches,
  dynamicWatches,
  type DynamicWatchesOptions,
  type OwnedWatches,
  poll,
  type PollOptions,
  type Schedule,
  type Source,
  type SourceEnv,
  type Watch,
} from "@treadle/controller";
export { cron, type CronOptions } from "@treadle/controller/cron";
