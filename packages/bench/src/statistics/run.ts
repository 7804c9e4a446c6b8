import { describeMachine } from '@hitherto/testing/machine';
import { type BenchDatabase, createDatabase } from '../database.ts';
import { measureCollecting } from './collecting.ts';
import { type CommitterResult, measureCommitter } from './committer.ts';
import { FULL_PLAN, SHORT_PLAN, type StatisticsPlan } from './plan.ts';
import { measureReading } from './reading.ts';
import {
  type PartName,
  readStatistics,
  type StatisticsParts,
  type StatisticsResults,
  saveStatistics,
} from './results.ts';
import { addWebsites } from './websites.ts';

/** Senders that feed the committer: as many as the connections over HTTP, and many. */
const SENDERS = [64, 500];

const MEASURE: {
  readonly [Name in PartName]: (database: BenchDatabase, plan: StatisticsPlan) => Promise<StatisticsParts[Name]>;
} = { collecting: measureCollecting, committing: measureCommitting, reading: measureReading };

/** Measures these parts and saves each with the results of the others; returns them all. */
export async function measureStatistics(
  mode: 'short' | 'full',
  parts: readonly PartName[],
  command: string,
  database: BenchDatabase,
  progress: (text: string) => void,
): Promise<StatisticsResults> {
  const plan: StatisticsPlan = { ...(mode === 'full' ? FULL_PLAN : SHORT_PLAN), progress };
  for (const part of parts) {
    const result = await MEASURE[part](database, plan);
    const measured = {
      command,
      date: new Date().toISOString().slice(0, 10),
      ...describeMachine(),
      database: database.description,
      rounds: plan.rounds,
      secondsARound: plan.seconds,
      result,
    };
    progress(`The result is in ${saveStatistics(mode, { ...readStatistics(mode), [part]: measured })}`);
  }
  return readStatistics(mode);
}

async function measureCommitting({ url }: BenchDatabase, plan: StatisticsPlan): Promise<readonly CommitterResult[]> {
  const results: CommitterResult[] = [];
  for (const senders of SENDERS) {
    const databaseUrl = await createDatabase(url, `bench_committer_${senders}`);
    const [website] = (await addWebsites(databaseUrl, ['one.example'])).websites;
    if (website === undefined) throw new Error('The website is missing.');
    results.push(await measureCommitter(databaseUrl, website, senders, plan));
  }
  return results;
}
