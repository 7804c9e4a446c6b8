import type { Log } from '@hitherto/domain/base';
import type { StatisticsReads, StatisticsRepository } from '@hitherto/domain/engine';
import { BeginAgain } from '../open-days/open-days.ts';
import { METHODS, type ThreadData } from './messages.ts';
import { openThread, type Thread } from './thread.ts';

/** Statistics that a thread counts. */
export interface CountingThread extends Pick<Thread, 'close'> {
  readonly statistics: StatisticsRepository;
}

/** Counts in a thread of its own. */
export function openCountingThread(data: ThreadData, log: Log): CountingThread {
  const module = new URL('./counting-worker.js', import.meta.url);
  const { ask, tell, close } = openThread({ module, name: 'counting', data, log });

  const readsOf = (reading?: number): StatisticsReads => {
    const ofReading = reading === undefined ? {} : { reading };
    const methods = METHODS.map((method) => [
      method,
      (...args: readonly unknown[]) => ask((id) => ({ is: 'call', id, method, args, ...ofReading })),
    ]);
    // The thread has the same methods.
    return Object.fromEntries(methods) as unknown as StatisticsReads;
  };

  const reading: StatisticsRepository['reading'] = (of, work) =>
    new Promise((resolve, reject) => {
      const begin = (id: number) => {
        const end = () => tell(id, { is: 'end', id });
        work(readsOf(id)).then(
          (result) => {
            resolve(result);
            end();
          },
          (error) => {
            // The thread begins the reading again.
            if (error instanceof BeginAgain) return;
            reject(error);
            end();
          },
        );
      };
      ask((id) => ({ is: 'open', id, of }), begin).catch(reject);
    });

  return { statistics: { ...readsOf(), reading }, close };
}
