import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../src/postgres/index.ts';
import { addHits, addWebsites, at } from './support.ts';

describe('a hand-over of the journal', () => {
  let ports: ReturnType<typeof openPostgres>;
  let end: () => Promise<void>;
  let websiteId: string;

  beforeEach(async () => {
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    ports = openPostgres({ connection: database.url, log: () => {} });
    end = async () => {
      await ports.close();
      await database.drop();
    };
    await ports.useEngine('outside');
    [websiteId = ''] = await addWebsites(ports, [null]);
  });
  afterEach(() => end());

  it('leaves hits that arrive meanwhile for the next one, which is not due at once', async () => {
    await addHits(ports, [at('12:00', { websiteId })]);
    const taken: number[] = [];

    const isFull = await ports.journal.handOver(10, async (hits) => {
      taken.push(hits.length);
      await addHits(ports, [at('12:01', { websiteId })]);
    });

    expect(taken).toEqual([1]);
    expect(isFull).toBe(false);
    expect(await ports.journal.backlog()).toMatchObject({ hits: 1 });
  });

  it('is followed by another one at once if it was full', async () => {
    await addHits(ports, [at('12:00', { websiteId })]);
    await addHits(ports, [at('12:01', { websiteId })]);
    const handOver = () => ports.journal.handOver(1, async () => {});

    expect([await handOver(), await handOver(), await handOver()]).toEqual([true, true, false]);
  });
});
