import { loadConfig } from '../config.ts';
import type { Context } from './context.ts';
import type { Store } from './store.ts';

/** Opens the store, prepares it where needed, hands it to `work`, and closes it whatever happens. */
export async function withStore<T>(context: Context, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await context.openStore(loadConfig(context.env), {
    use: 'command',
    // What went wrong for good is told by the error that the command fails with.
    log: () => {},
    onProgress: (text) => context.tell(`${text}\n`),
  });
  try {
    await store.migrate();
    return await work(store);
  } finally {
    await store.close();
  }
}
