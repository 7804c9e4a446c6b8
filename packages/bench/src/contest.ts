import { rm } from 'node:fs/promises';
import { type BenchDatabase, embeddedPid, prepareDataFolder } from './database.ts';
import { type FilledAccount, fillAccount, settle } from './fill.ts';
import { type OperationName, operationsOn } from './operations.ts';
import { type Contestant, measure, type Plan, type Sample } from './rounds.ts';
import { startVariant, type VariantName } from './variants.ts';

/** Which variants take part in an operation: bare and usual serve what its comparison needs. */
const CONTESTS: Record<OperationName, readonly VariantName[]> = {
  show: ['bare', 'usual', 'hitherto', 'quiet', 'embedded'],
  'show, If-None-Match': ['hitherto', 'embedded'],
  store: ['usual', 'hitherto', 'embedded'],
  update: ['usual', 'hitherto', 'embedded'],
  'list page': ['usual', 'hitherto', 'embedded'],
  search: ['usual', 'hitherto', 'embedded'],
};

export interface Contest {
  readonly samples: Partial<Record<OperationName, Sample[]>>;
  readonly account: FilledAccount;
}

/** Runs all variants at once on the same data, and measures one operation after the other. */
export async function holdContest(
  database: BenchDatabase,
  names: readonly OperationName[],
  size: number,
  plan: Plan,
): Promise<Contest> {
  const account = await fillAccount(database.url, 'contest', size, plan.progress);
  await settle(database.url);
  let embeddedAccount = account;
  const dataDir = await prepareDataFolder(async (url) => {
    embeddedAccount = await fillAccount(url, 'contest', size, plan.progress);
    await settle(url);
  });

  const contestants: Contestant[] = [];
  try {
    for (const name of CONTESTS.show) {
      plan.progress(`starting ${name}`);
      const variant = await startVariant(name, { url: database.url, dataDir });
      const databasePid = name === 'embedded' ? await embeddedPid(dataDir) : database.pid;
      contestants.push({ name, variant, databasePid });
    }
    const samples: Contest['samples'] = {};
    for (const name of names) {
      const taking = contestants.filter((contestant) => CONTESTS[name].includes(contestant.name));
      samples[name] = await measure(taking, plan, (contestant) =>
        contestant.name === 'embedded' ? operationsOn(embeddedAccount)[name] : operationsOn(account)[name],
      );
    }
    return { samples, account };
  } finally {
    await Promise.all(contestants.map(({ variant }) => variant.stop()));
    await rm(dataDir, { recursive: true, force: true });
  }
}
