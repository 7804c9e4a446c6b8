import { stopAll, stopLeftOvers } from './children.ts';
import { holdContest } from './contest.ts';
import { startDatabase } from './database.ts';
import { withAutocannon } from './load/autocannon.ts';
import { findWrk } from './load/wrk.ts';
import { paired, spreadOf } from './statistics.ts';

stopLeftOvers();
const progress = (text: string) => void process.stderr.write(`${text}\n`);
const database = await startDatabase();
progress(database.description);
try {
  const contest = await holdContest(database, ['show', 'show, If-None-Match'], 10_000, {
    generator: findWrk() ?? withAutocannon,
    connections: 32,
    rounds: Number(process.env.ROUNDS ?? 5),
    seconds: 2,
    progress,
  });
  const show = contest.samples.show ?? [];
  for (const name of ['bare', 'usual', 'hitherto', 'quiet', 'embedded'] as const) {
    const of = (pick: (s: (typeof show)[number]) => number, n: string) => show.filter((s) => s.variant === n).map(pick);
    const r = paired(
      of((s) => s.requestsPerSecond, name),
      of((s) => s.requestsPerSecond, 'bare'),
    );
    const c = paired(
      of((s) => s.nodeCpu ?? 0, name),
      of((s) => s.nodeCpu ?? 0, 'bare'),
    );
    progress(
      `${name} rps ${spreadOf(of((s) => s.requestsPerSecond, name)).median.toFixed(0)} x${r.median.toFixed(2)} (${r.min.toFixed(2)}..${r.max.toFixed(2)}) cpu ${spreadOf(of((s) => s.nodeCpu ?? 0, name)).median.toFixed(0)}us x${c.median.toFixed(2)} db ${spreadOf(of((s) => s.databaseCpu ?? 0, name)).median.toFixed(0)}us`,
    );
  }
} finally {
  await stopAll();
  await database.stop();
}
