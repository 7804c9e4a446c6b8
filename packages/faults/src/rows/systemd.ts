import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newFolder } from '@hitherto/testing/folder';
import { freePort } from '@hitherto/testing/free-port';
import { root } from '@hitherto/testing/machine';
import { row, type Setting } from '../row.ts';
import { until } from '../support/until.ts';

const SCRIPT = fileURLToPath(new URL('../support/systemd.sh', import.meta.url));
const UNITS = ['hitherto.service', 'hitherto-backup.service', 'hitherto-backup.timer'];
/** The highest rating of the service by `systemd-analyze security`, where 10 is unsafe. */
const EXPOSURE = 2;
const STOP_MS = 15_000;

/** The units of deploy/systemd, installed by their script, under a systemd. */
export const systemd = row('systemd', 20, 'kills', { missing: missingForSystemd }, async (trials) => {
  const { run, url, isReady } = await openMachine(trials);
  await checkUnits(run);
  await run('systemctl', 'enable', '--now', 'hitherto', 'hitherto-backup.timer');
  await until('the service is not ready', 30_000 * trials.patience, isReady);
  await trials.each(async ({ random, patience, took }) => {
    await sleep(random.below(500));
    await run('systemctl', 'kill', '--signal=KILL', '--kill-who=main', 'hitherto');
    await until('the service still responds', 5_000, async () => !(await isReady()));
    took('ready after a kill', await until('the service is not started again', 30_000 * patience, isReady));
  });
  await run('systemctl', 'start', 'hitherto-backup');
  const backups = await run('ls', '/var/backups/hitherto');
  if (!backups.endsWith('.backup')) throw new Error(`The backups are: ${backups}`);
  const metrics = await fetch(`${url}/metrics`).then((response) => response.text());
  if (!/^hitherto_backup_age_seconds [\d.]+$/m.test(metrics)) throw new Error('The metrics have no age of the backup.');
  const since = performance.now();
  await run('systemctl', 'stop', 'hitherto');
  trials.took('a stop', performance.now() - since, STOP_MS);
  const ended = await run('systemctl', 'show', '--property=Result,ExecMainStatus', 'hitherto');
  if (ended !== 'Result=success\nExecMainStatus=0') throw new Error(`The service stopped with ${ended}.`);
});

function missingForSystemd(): string | undefined {
  if (process.getuid?.() !== 0) return 'root, to boot a systemd';
  return existsSync('/lib/systemd/systemd') && existsSync('/sys/fs/cgroup/systemd') ? undefined : 'systemd';
}

/** Boots a systemd, and installs the package. */
async function openMachine({ open }: Setting) {
  const { path } = await open(newFolder());
  const call = async (...args: readonly string[]) =>
    (await promisify(execFile)('bash', [SCRIPT, ...args])).stdout.trim();
  await promisify(execFile)('npm', ['run', 'package'], { cwd: root, maxBuffer: 2 ** 24 });
  await open(call('start', path).then(() => ({ close: () => call('stop', path) })));
  const files = join(path, 'root/opt/hitherto');
  mkdirSync(files, { recursive: true });
  cpSync(join(root, 'deploy'), join(files, 'deploy'), { recursive: true });
  const [name = ''] = readdirSync(join(root, 'dist')).filter((each) => /^hitherto-\d.*\.tgz$/.test(each));
  cpSync(join(root, 'dist', name), join(files, name));
  const run = (...command: readonly string[]) => call('run', path, ...command);
  await run('/opt/hitherto/deploy/systemd/install.sh', `/opt/hitherto/${name}`);
  const port = await freePort();
  writeFileSync(join(path, 'root/var/lib/hitherto/.env'), `PORT=${port}\n`);
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  return { run, url, isReady };
}

/** Faults and the rating of the units. An unknown setting is only a message. */
async function checkUnits(run: (...command: readonly string[]) => Promise<string>): Promise<void> {
  const faults = await run('sh', '-c', `systemd-analyze verify ${UNITS.join(' ')} 2>&1`);
  if (faults !== '') throw new Error(faults);
  const rated = await run('systemd-analyze', 'security', 'hitherto.service');
  const exposure = Number(/exposure level for hitherto\.service: ([\d.]+)/.exec(rated)?.[1]);
  if (!(exposure <= EXPOSURE)) throw new Error(`The unit has the exposure ${exposure}.`);
}
