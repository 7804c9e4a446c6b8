import type { OpenedDatabase, OpenOptions } from '../installation/database.ts';
import { loadSettings } from '../installation/settings.ts';
import type { Context } from './context.ts';

/** Opens the database of the settings, migrates it if needed, passes it to `work`, and always closes it. */
export async function withDatabase<T>(
  context: Context,
  work: (database: OpenedDatabase) => Promise<T>,
  use: Exclude<OpenOptions['use'], 'service'> = 'command',
): Promise<T> {
  const database = await context.openDatabase(loadSettings(context.env), {
    use,
    // The error of the command is the one to report.
    log: () => {},
    onProgress: (text) => context.tell(`${text}\n`),
  });
  try {
    await database.migrate();
    return await work(database);
  } finally {
    await database.close();
  }
}
