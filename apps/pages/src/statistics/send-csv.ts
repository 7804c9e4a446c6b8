import type { Period } from '@hitherto/domain/calendar';
import type { Website } from '@hitherto/domain/websites';
import { CSV_TYPE } from '@hitherto/wire';
import type { FastifyReply } from 'fastify';

/** Spreadsheets read a file that begins with it as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Sends CSV as a file for spreadsheets. Programs get theirs from the API, without the mark.
 *
 * @param list which numbers it has
 */
export function sendCsv(
  reply: FastifyReply,
  { url }: Pick<Website, 'url'>,
  { from, to }: Period,
  list: string,
  csv: string,
): FastifyReply {
  const name = [new URL(url).hostname, list, from, to].join('-').replaceAll(/[^\w.-]+/g, '-');
  return reply
    .type(CSV_TYPE)
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(BYTE_ORDER_MARK + csv);
}
