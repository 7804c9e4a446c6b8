import type { FastifyRequest } from 'fastify';

/** Whether `Accept` prefers CSV: it names `text/csv`, with no less weight than JSON has (RFC 9110, section 12.5.1). */
export function acceptsCsv(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? '';
  const csv = weightOf(accept, 'text/csv') ?? 0;
  const json = JSON_RANGES.map((range) => weightOf(accept, range)).find((weight) => weight !== undefined) ?? 0;
  return csv > 0 && csv >= json;
}

/** The most specific one counts. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'];

/** The weight of a range of media types; `undefined` if the header does not have it. */
function weightOf(accept: string, range: string): number | undefined {
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (name !== range) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return undefined;
}
