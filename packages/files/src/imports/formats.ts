import type { RowSource } from '@hitherto/domain/imports';
import { goatCounterRow } from './goatcounter.ts';
import type { Fields, LineContext, ReadRow } from './rows.ts';
import { simpleAnalyticsRow } from './simple-analytics.ts';
import { umamiRow } from './umami.ts';

/** A format of CSV whose rows are hits. */
interface CsvFormat {
  readonly format: RowSource['format'];
  /** Columns that its header has; others may be missing. */
  readonly columns: readonly string[];
  /** @param data of the event, from another file of the export */
  readonly rowOf: (fields: Fields, context: LineContext, data?: object) => ReadRow;
}

/** The formats of CSV, each recognized by columns that no other has. */
export const CSV_FORMATS: readonly CsvFormat[] = [
  { format: 'umami', columns: ['session_id', 'url_path', 'event_type', 'created_at'], rowOf: umamiRow },
  { format: 'goatcounter', columns: ['2Path', 'Session', 'Date'], rowOf: goatCounterRow },
  { format: 'simple-analytics', columns: ['added_iso', 'path', 'datapoint'], rowOf: simpleAnalyticsRow },
];
