declare module 'matomo-tracker' {
  import type { EventEmitter } from 'node:events';

  type Options = Readonly<Record<string, string | number>>;

  export default class MatomoTracker extends EventEmitter {
    constructor(siteId: number | string, trackerUrl: string);
    track(options: Options): void;
    trackBulk(events: readonly Options[], callback: (body: string) => void): void;
  }
}
