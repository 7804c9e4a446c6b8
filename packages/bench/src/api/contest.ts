import { postmasterOf } from '@hitherto/testing/proc';
import { prepareDataFolder, vacuum } from '../database.ts';
import { atLeast, atMost } from '../figures.ts';
import { addServer, measureServer, type ServerSample } from '../load/measure.ts';
import { inTurns, type Run } from '../run.ts';
import { type RunningServer, startBare, startHitherto } from '../servers.ts';
import { fillAccount } from './fill.ts';
import { type OperationName, operationsOn } from './operations.ts';

/** Two queries on bare node:http and pg; Hitherto as shipped, with logs and limits off, and on its embedded PostgreSQL. */
const VARIANTS = ['bare', 'hitherto', 'quiet', 'embedded'] as const;
type Variant = (typeof VARIANTS)[number];

/** Operations that are compared with each other are measured in the same rounds; bare shows websites, and nothing else. */
const CONTESTS: readonly Readonly<Partial<Record<OperationName, readonly Variant[]>>>[] = [
  { show: VARIANTS, 'show, If-None-Match': ['hitherto', 'embedded'] },
  { create: ['hitherto', 'embedded'] },
  { update: ['hitherto', 'embedded'] },
  { 'list page': ['hitherto', 'embedded'] },
];
const CONNECTIONS = 32;

/** Measures the API on one account: all operations in a full run, otherwise show alone. */
export async function measureApi(run: Run): Promise<void> {
  const { database, figures, isFull, open } = run;
  const size = isFull ? 100_000 : 10_000;
  const fill = async (url: string) => {
    const account = await fillAccount(url, 'contest', size);
    await vacuum(url);
    return account;
  };
  const account = await fill(database.url);
  const { path: dataDir, filled: embeddedAccount } = await open(prepareDataFolder(fill));
  const env = { DATABASE_URL: database.url };
  const servers: Readonly<Record<Variant, RunningServer>> = {
    bare: await open(startBare(database.url)),
    hitherto: await open(startHitherto(env)),
    quiet: await open(startHitherto({ ...env, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent' })),
    embedded: await open(startHitherto({ DATA_DIR: dataDir })),
  };
  const pids = { own: database.pid, embedded: postmasterOf(dataDir) };

  const memory: number[] = [];
  for (const contest of isFull ? CONTESTS : CONTESTS.slice(0, 1)) {
    const operations = Object.keys(contest) as OperationName[];
    const sides = operations.flatMap((operation) =>
      (contest[operation] ?? []).map((variant) => {
        const isEmbedded = variant === 'embedded';
        const next = operationsOn(isEmbedded ? embeddedAccount : account)[operation];
        const load = { url: servers[variant].url, connections: CONNECTIONS, next };
        const pid = isEmbedded ? pids.embedded : pids.own;
        const measure = (seconds: number) => measureServer(servers[variant], pid, load, seconds);
        return { name: `${operation}: ${variant}`, measure };
      }),
    );
    const of = await inTurns(run, sides);
    for (const { name } of sides) addServer(figures, name, (pick) => of(name, pick));
    for (const operation of operations) {
      addRatios(run, operation, of);
      memory.push(...of(`${operation}: hitherto`, (sample) => sample.memory));
    }
  }
  figures.add('memory of the process, the most after any round', 'MB', [Math.max(...memory)], atMost(200, 120));
}

type Of = (name: string, pick: (sample: ServerSample) => number) => number[];

/** Adds the figures that have targets, and those that compare Hitherto with the others. */
function addRatios({ figures }: Run, operation: OperationName, of: Of): void {
  const rates = (name: string) => of(name, ({ perSecond }) => perSecond);
  const ours = rates(`${operation}: hitherto`);
  if (operation === 'show, If-None-Match') {
    figures.ratio('show with a matching If-None-Match, against show', ours, rates('show: hitherto'), atLeast(1));
  }
  if (operation !== 'show') return;
  figures.ratio('show, against bare', ours, rates('show: bare'), atLeast(1.3, 1.8));
  const cpu = (name: string) => of(name, ({ nodeCpu }) => nodeCpu);
  figures.ratio("show, Node's CPU against bare", cpu('show: hitherto'), cpu('show: bare'), atMost(0.85, 0.6));
  figures.ratio('show, embedded against own PostgreSQL', rates('show: embedded'), ours, atLeast(0.9, 1));
  figures.ratio('show, as shipped against logs and limits off', ours, rates('show: quiet'), atLeast(0.55, 0.8));
}
