import { storableString } from '@hitherto/domain/base';
import type { DaySum } from '@hitherto/domain/visits';
import { toCopy } from '../../connection/copy-text.ts';
import type { ImportKey } from '../../imports/record-import.ts';
import { CODES, NUMBER_COLUMNS } from '../summary-columns.ts';

const COLUMNS = ['website_number', 'import_number', 'day', 'dimension', 'value', ...NUMBER_COLUMNS, 'gaps'];

/** The COPY statement for the rows of {@link sumRow}. */
export const COPY_SUMS = `copy imported_sum (${COLUMNS.join(', ')}) from stdin`;

/** A row of `imported_sum`. */
export function sumRow(sum: DaySum, { websiteNumber, number }: ImportKey): string {
  const { day, kind, value, visitors, visits, pageviews, events, bounces, visitsWithPageviews, duration } = sum;
  const key = `${websiteNumber}\t${number}\t${day}\t${CODES[kind]}\t${toCopy(value && storableString(value))}`;
  const numbers = `${visitors}\t${visits}\t${pageviews}\t${events}\t${bounces}\t${visitsWithPageviews}\t${duration}`;
  return `${key}\t${numbers}\t${sum.gaps ?? 0}\n`;
}
