/** Keeps something open until the end of the scope, and returns it. */
export type Open = <T extends { close(): unknown }>(opening: T | Promise<T>) => Promise<T>;

/**
 * Does some work, and then closes everything that it has opened, last first, even if some of it fails to close. Rejects with
 * the error of the work or of closing; if there are several, with an `AggregateError` of all.
 */
export async function withScope<T>(work: (open: Open) => Promise<T>): Promise<T> {
  const opened: { close(): unknown }[] = [];
  const [outcome] = await Promise.allSettled([
    work(async (opening) => {
      const thing = await opening;
      opened.push(thing);
      return thing;
    }),
  ]);
  const errors: unknown[] = outcome.status === 'rejected' ? [outcome.reason] : [];
  for (const thing of opened.reverse()) {
    try {
      await thing.close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join('; then: '));
  if (outcome.status === 'rejected' || errors.length > 0) throw errors[0];
  return outcome.value;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
