import { rm } from 'node:fs/promises';
import { type BenchDatabase, embeddedPid, prepareDataFolder } from './database.ts';
import { type FilledAccount, fillAccount, settle } from './fill.ts';
import { type OperationName, operationsOn } from './operations.ts';
import { type Contestant, measure, type Plan, type Sample } from './rounds.ts';
import { startVariant, type VariantName } from './variants.ts';

/** The variants of each operation; bare and usual serve only what the comparison needs. */
const CONTESTS: Record<OperationName, readonly VariantName[]> = {
  show: ['bare', 'usual', 'hitherto', 'quiet', 'embedded'],
  'show, If-None-Match': ['hitherto', 'embedded'],
  create: ['usual', 'hitherto', 'embedded'],
  update: ['usual', 'hitherto', 'embedded'],
  'list page': ['usual', 'hitherto', 'embedded'],
  search: ['usual', 'hitherto', 'embedded'],
  'search, frequent': ['usual', 'hitherto', 'embedded'],
};

/** Operations that are compared with each other are measured in the same rounds. */
const TOGETHER: readonly (readonly OperationName[])[] = [
  ['show', 'show, If-None-Match'],
  ['create'],
  ['update'],
  ['list page'],
  ['search'],
  ['search, frequent'],
];

export interface Contest {
  readonly samples: Partial<Record<OperationName, Sample[]>>;
  readonly account: FilledAccount;
}

/** Starts all variants on the same data and measures the operations. */
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
    for (const together of TOGETHER) {
      const entries = together
        .filter((name) => names.includes(name))
        .flatMap((name) =>
          contestants
            .filter((contestant) => CONTESTS[name].includes(contestant.name))
            .map((contestant) => ({
              name,
              contestant,
              operation: operationsOn(contestant.name === 'embedded' ? embeddedAccount : account)[name],
            })),
        );
      const measured = await measure(entries, plan);
      for (const [index, { name }] of entries.entries()) {
        samples[name] = [...(samples[name] ?? []), ...(measured[index] ?? [])];
      }
    }
    return { samples, account };
  } finally {
    await Promise.all(contestants.map(({ variant }) => variant.stop()));
    await rm(dataDir, { recursive: true, force: true });
  }
}
