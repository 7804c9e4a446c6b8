// What the process that reads a file for an import needs of the domain: loading all of it would take longer than most files.

export { standalone } from './remembered.ts';
export { isDay } from './statistics/calendar/days.ts';
export { instantOf, type TimeZone, timeZone } from './statistics/calendar/time-zone.ts';
export { readReferrer } from './statistics/collecting/attribution.ts';
export { fitName, fitProps, hostAndPath } from './statistics/collecting/fit-event.ts';
export { readPagePath } from './statistics/collecting/page-url.ts';
export { type Dimension, HIT_STRINGS } from './statistics/dimensions.ts';
export type { SumKind } from './statistics/engine/day-sum.ts';
export { GAPS, NO_TOTALS, type Totals } from './statistics/engine/statistics-repository.ts';
export { CHANNELS, type CountedHit, DEVICES, type Hit, type HitDetails, type PropertyValue } from './statistics/hit.ts';
export { InvalidFile } from './statistics/imports/errors.ts';
export { ACCESS_LOG, type ImportFormat } from './statistics/imports/import.ts';
export type {
  ImportFileOptions,
  ImportRow,
  ImportSource,
  LogSource,
  RowSource,
  SumRow,
  SumSource,
} from './statistics/imports/import-source.ts';
export { shortened } from './statistics/logs/judge-request.ts';
export type { LogLine, OpenLogs, ReadableLogFile } from './statistics/logs/log-files.ts';
export { IDENTIFYING_BYTES } from './statistics/logs/log-place.ts';
export { type LogRequest, NO_REQUEST, type ReadLogLine } from './statistics/logs/log-request.ts';
