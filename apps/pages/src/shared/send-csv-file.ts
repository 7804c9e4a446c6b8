import { CSV_TYPE } from '@hitherto/wire';
import type { FastifyReply } from 'fastify';

/** Spreadsheets read a file that begins with it as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/** Sends CSV as a file for spreadsheets. Programs get theirs from the API, without the mark. */
export function sendCsvFile(reply: FastifyReply, name: string, csv: string): FastifyReply {
  return reply
    .type(CSV_TYPE)
    .header('content-disposition', `attachment; filename="${name.replaceAll(/[^\w.-]+/g, '-')}.csv"`)
    .send(BYTE_ORDER_MARK + csv);
}
