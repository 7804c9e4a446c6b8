import { rm } from 'node:fs/promises';
import { embeddedPid, prepareDataFolder } from '../database.ts';
import { atLeast, atMost } from '../figures.ts';
import { addServer, measureServer, type ServerSample } from '../load/measure.ts';
import { inTurns, type Run } from '../run.ts';
import { type RunningServer, startHitherto, startRival } from '../servers.ts';
import { fillAccount, settle } from './fill.ts';
import { type OperationName, operationsOn } from './operations.ts';
import { measureStatement } from './pgbench.ts';

/**
 * What is compared: two queries on node:http and pg; Fastify and Kysely as usually written; Hitherto as shipped, with logs
 * and limits off, and on its embedded PostgreSQL.
 */
const VARIANTS = ['bare', 'usual', 'hitherto', 'quiet', 'embedded'] as const;
type Variant = (typeof VARIANTS)[number];

/** Operations that are compared with each other are measured in the same rounds; bare shows websites, and nothing else. */
const CONTESTS: readonly Readonly<Partial<Record<OperationName, readonly Variant[]>>>[] = [
  { show: VARIANTS, 'show, If-None-Match': ['hitherto', 'embedded'] },
  { create: ['usual', 'hitherto', 'embedded'] },
  { update: ['usual', 'hitherto', 'embedded'] },
  { 'list page': ['usual', 'hitherto', 'embedded'] },
  { search: ['usual', 'hitherto', 'embedded'] },
  { 'search, frequent': ['usual', 'hitherto', 'embedded'] },
];
const CONNECTIONS = 32;

/** Measures the API on one account: all operations in a full run, otherwise show alone. */
export async function measureApi(run: Run): Promise<void> {
  const { database, figures, isFull, progress } = run;
  const size = isFull ? 100_000 : 10_000;
  const account = await fillAccount(database.url, 'contest', size, progress);
  await settle(database.url);
  let embeddedAccount = account;
  const dataDir = await prepareDataFolder(async (url) => {
    embeddedAccount = await fillAccount(url, 'contest', size, progress);
    await settle(url);
  });
  const servers = new Map<Variant, RunningServer>();
  try {
    const env = { DATABASE_URL: database.url };
    servers.set('bare', await startRival('bare', database.url));
    servers.set('usual', await startRival('usual', database.url));
    servers.set('hitherto', await startHitherto(env));
    servers.set('quiet', await startHitherto({ ...env, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent' }));
    servers.set('embedded', await startHitherto({ DATA_DIR: dataDir }));
    const pids = { own: database.pid, embedded: await embeddedPid(dataDir) };

    const memory: number[] = [];
    for (const contest of isFull ? CONTESTS : CONTESTS.slice(0, 1)) {
      const sides = Object.entries(contest).flatMap(([operation, variants]) =>
        variants.flatMap((variant) => {
          const server = servers.get(variant);
          const isEmbedded = variant === 'embedded';
          const next = operationsOn(isEmbedded ? embeddedAccount : account)[operation as OperationName];
          if (server === undefined) return [];
          const load = { url: server.url, connections: CONNECTIONS, next };
          const pid = isEmbedded ? pids.embedded : pids.own;
          return { name: `${operation}: ${variant}`, measure: (s: number) => measureServer(server, pid, load, s) };
        }),
      );
      const of = await inTurns(run, sides);
      for (const { name } of sides) addServer(figures, name, (pick) => of(name, pick));
      for (const operation of Object.keys(contest)) {
        addRatios(run, operation as OperationName, of);
        memory.push(...of(`${operation}: hitherto`, (sample) => sample.memory));
      }
    }
    figures.add('memory of the process, the most after any round', 'MB', [Math.max(...memory)], atMost(200, 120));
    await measureStatement(run, account);
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    await rm(dataDir, { recursive: true, force: true });
  }
}

type Of = (name: string, pick: (sample: ServerSample) => number) => number[];

/** Adds the figures that have targets, and those that compare Hitherto with the others. */
function addRatios({ figures }: Run, operation: OperationName, of: Of): void {
  const rates = (name: string) => of(name, ({ perSecond }) => perSecond);
  const [ours, usual] = [rates(`${operation}: hitherto`), rates(`${operation}: usual`)];
  if (operation === 'show, If-None-Match') {
    figures.ratio('show with a matching If-None-Match, against show', ours, rates('show: hitherto'), atLeast(1));
    return;
  }
  const must = { show: atLeast(2, 2.5), create: atLeast(1.5, 2), update: atLeast(1.3, 1.5) }[operation as string];
  figures.ratio(`${operation}, against as usually written`, ours, usual, must);
  if (operation !== 'show') return;
  figures.ratio('show, against bare', ours, rates('show: bare'), atLeast(1.3, 1.8));
  const cpu = (name: string) => of(name, ({ nodeCpu }) => nodeCpu);
  figures.ratio("show, Node's CPU against bare", cpu('show: hitherto'), cpu('show: bare'), atMost(0.85, 0.6));
  figures.ratio('show, embedded against own PostgreSQL', rates('show: embedded'), ours, atLeast(0.9, 1));
  figures.ratio('show, as shipped against logs and limits off', ours, rates('show: quiet'), atLeast(0.55, 0.8));
}
