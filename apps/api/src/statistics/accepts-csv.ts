import type { FastifyRequest } from 'fastify';

/** Whether `Accept` prefers CSV: it names `text/csv`, with no less weight than `application/json` (RFC 9110, section 12.5.1). */
export function acceptsCsv(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? '';
  const csv = weightOf(accept, 'text/csv');
  return csv > 0 && csv >= weightOf(accept, 'application/json');
}

/** The weight of a media type that a header names; 0 if it does not. */
function weightOf(accept: string, type: string): number {
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return 0;
}
