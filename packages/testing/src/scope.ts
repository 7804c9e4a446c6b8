/** Keeps something open until the end of the scope, and returns it. */
export type Open = <T extends { close(): unknown }>(opening: T | Promise<T>) => Promise<T>;

/** Does some work, and then closes what it has opened, last first. */
export async function withScope<T>(work: (open: Open) => Promise<T>): Promise<T> {
  const opened: { close(): unknown }[] = [];
  try {
    return await work(async (opening) => {
      const thing = await opening;
      opened.push(thing);
      return thing;
    });
  } finally {
    for (const thing of opened.reverse()) await thing.close();
  }
}
