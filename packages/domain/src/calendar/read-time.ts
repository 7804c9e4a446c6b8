const RFC_3339 = /^\d{4}-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** Reads a time as in RFC 3339, to the millisecond. A leap second counts as the one before it. */
export function readTime(text: string): Date | undefined {
  if (!RFC_3339.test(text)) return undefined;
  // Of a fraction with more than nine digits, Date may read other milliseconds.
  const upper = text.toUpperCase().replace(/(\.\d{3})\d+/, '$1');
  const time = new Date(upper.slice(17, 19) === '60' ? `${upper.slice(0, 17)}59${upper.slice(19)}` : upper);
  if (Number.isNaN(time.getTime())) return undefined;
  // Date reads 30 February as 2 March.
  const [year, month, day] = upper.slice(0, 10).split('-').map(Number);
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  return day !== undefined && day <= lastDay ? time : undefined;
}
