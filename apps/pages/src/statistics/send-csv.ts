import type { Period } from '@hitherto/domain/calendar';
import type { Website } from '@hitherto/domain/websites';
import type { FastifyReply } from 'fastify';
import { sendCsvFile } from '../shared/send-csv-file.ts';

/**
 * Sends CSV of a website as a file.
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
  return sendCsvFile(reply, [new URL(url).hostname, list, from, to].join('-'), csv);
}
