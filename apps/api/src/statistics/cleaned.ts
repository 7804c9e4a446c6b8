import { type CleanedVisits, readCleaned } from '@hitherto/domain/cleanups';

/** The field of the cleanups that hide visits of a query, if there are any. */
export async function showCleaned(
  ...asked: Parameters<typeof readCleaned>
): Promise<{ readonly cleaned?: readonly CleanedVisits[] }> {
  const cleaned = await readCleaned(...asked);
  return cleaned.length === 0 ? {} : { cleaned };
}
