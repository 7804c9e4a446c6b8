// What the process that reads a file for an import needs of the domain: loading all of it would take longer than most files.

export { standalone } from '../base/remembered.ts';
export { inEnglish, type StoredText, storedText } from '../base/stored-text.ts';
export { storableString } from '../base/strings.ts';
export { isDay } from '../calendar/days.ts';
export { instantOf, type TimeZone, timeZone } from '../calendar/time-zone.ts';
export type { MarkedHit } from '../cleanups/mark-hidden.ts';
export { externalReferrer, readReferrer } from '../hits/attribution.ts';
export { BROWSERS, SYSTEMS } from '../hits/device-names.ts';
export { type Dimension, HIT_STRINGS } from '../hits/dimensions.ts';
export { fitName, fitProps, hostAndPath } from '../hits/fit-event.ts';
export { CHANNELS, type CountedHit, DEVICES, type HitDetails, NETWORKS, type PropertyValue } from '../hits/hit.ts';
export { readPagePath } from '../hits/page-url.ts';
export { InvalidFile } from '../imports/errors.ts';
export { ACCESS_LOG, type ImportFormat } from '../imports/import.ts';
export type {
  ImportContent,
  ImportFileOptions,
  ImportRow,
  LogContent,
  RowContent,
  RowHit,
  RowPlace,
  SumContent,
  SumRow,
} from '../imports/import-content.ts';
export { shortenedRequest } from '../imports/logs/judge-request.ts';
export type { LogLine, OpenLogs, ReadableLogFile } from '../imports/logs/log-files.ts';
export { IDENTIFYING_BYTES } from '../imports/logs/log-place.ts';
export { type LogRequest, NO_REQUEST, type ReadLogLine } from '../imports/logs/log-request.ts';
export { placeOf } from '../imports/skipped-rows.ts';
export type { SumKind } from '../visits/day-sum.ts';
export { GAPS, NO_TOTALS, type Totals } from '../visits/totals.ts';
