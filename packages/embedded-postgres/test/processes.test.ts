import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { joinEmbeddedPostgres } from '../src/index.ts';
import { clearFolder } from '../src/postmaster.ts';
import { isRoot } from '../src/server-user.ts';
import { childPids, eventually, openWorld, parentPid, query, serverPid, untilGone } from './world.ts';

const world = openWorld();

afterEach(() => world.close());
afterAll(() => world.closeAll());

describe('a companion of the service', () => {
  test('waits for one, and keeps none from starting', async () => {
    const dataDir = await world.prepared();
    const companion = world.holder('companion', dataDir);
    const { text } = await companion.next('progress');

    const service = world.holder('service', dataDir);
    await service.next('ready');
    const { connection } = await companion.next('ready');

    expect(text).toContain('waiting for a Hitherto that serves');
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await companion.stop();
    await service.stop();
  });

  test('waits for the next one if a service fails to start', async () => {
    const dataDir = await world.prepared();
    const failing = await serviceThatFails(dataDir);
    const companion = world.holder('companion', dataDir);
    await failing.ended;
    await companion.next('progress');

    const service = world.holder('service', dataDir);

    await service.next('ready');
    await companion.next('ready');
    await companion.stop();
    await service.stop();
  });

  // Elsewhere than on Linux, such a folder has a name of its own after each start.
  test.runIf(process.platform === 'linux')(
    'connects again after a restart, also if the folder of the socket is a temporary one',
    async () => {
      const dataDir = join(await world.prepared(), 'x'.repeat(100));
      const first = world.holder('service', dataDir);
      await first.next('ready');
      const { connection, stop } = await joinEmbeddedPostgres({ dataDir, log: () => {} });
      await first.stop();

      const second = world.holder('service', dataDir);
      await second.next('ready');

      expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
      await stop();
      await second.stop();
    },
  );
});

/** A service that holds the folder, and ends soon after a process has begun to wait for it. */
async function serviceThatFails(dataDir: string): Promise<{ readonly ended: Promise<void> }> {
  const name = `${process.pid}-0123456789ab`;
  const folder = join(dataDir, 'lock');
  await mkdir(folder);
  const peers = new Set<Socket>();
  const server = createServer((peer) => {
    peers.add(peer.on('error', () => {}));
    peer.write(`${JSON.stringify({ pid: process.pid, role: 'service' })}\n`);
  });
  server.listen(join(folder, name));
  await once(server, 'listening');
  await symlink(name, join(folder, '1'));
  const end = async () => {
    await once(server, 'connection');
    await wait(300);
    server.close();
    for (const peer of peers) peer.destroy();
  };
  return { ended: end() };
}

describe('a Hitherto that is killed', () => {
  test('loses no acknowledged row and leaves no process', async () => {
    const dataDir = await world.prepared();
    const first = world.holder('service', dataDir);
    const { connection } = await first.next('ready');
    await query(connection, 'create table kept (n int)');
    await query(connection, 'insert into kept values (7)');
    const server = await serverPid(dataDir);
    const supervisor = parentPid(server);

    await first.kill();

    await untilGone(server);
    await untilGone(supervisor);
    const second = world.holder('service', dataDir);
    const again = await second.next('ready');
    expect(await query(again.connection, 'select n from kept')).toEqual([{ n: 7 }]);
    await second.stop();
  });

  test('during its first start leaves no half-made database', async () => {
    const dataDir = await world.folder();
    const first = world.holder('service', dataDir);
    await first.next('progress');
    await eventually(async () => expect((await readdir(dataDir)).join()).toContain('postgres.init-'));

    await first.kill();

    const between = await readdir(dataDir);
    const second = world.holder('service', dataDir);
    const { connection } = await second.next('ready');
    expect(between).not.toContain('postgres');
    expect((await readdir(dataDir)).sort()).toEqual(['lock', 'postgres', 'postgres.log']);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
  });

  test('together with its supervisor leaves a server that the next start stops', async () => {
    const dataDir = await world.prepared();
    const first = world.holder('service', dataDir);
    await first.next('ready');
    const orphan = await serverPid(dataDir);
    process.kill(first.pid, 'SIGSTOP');
    const supervisor = parentPid(orphan);
    for (const pid of [supervisor, ...childPids(supervisor)]) if (pid !== orphan) process.kill(pid, 'SIGKILL');
    await first.kill();

    const second = world.holder('service', dataDir);

    const { connection } = await second.next('ready');
    await untilGone(orphan);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
  });

  test('leaves a process id that another process may have got, which does not mislead the next start', async () => {
    const dataDir = await world.prepared();
    const first = world.holder('service', dataDir);
    await first.next('ready');
    const pidFile = join(dataDir, 'postgres/postmaster.pid');
    const server = await serverPid(dataDir);
    const text = await readFile(pidFile, 'utf8');
    await first.kill();
    await untilGone(server);
    await writeFile(pidFile, text.replace(/^\d+/, String(process.pid)), { mode: 0o644 });
    await writeFile(join(dataDir, 'postgres/.s.PGSQL.5432.lock'), `${process.pid}\n`, { mode: 0o644 });

    const second = world.holder('service', dataDir);

    await second.next('ready');
    await second.stop();
  });
});

describe.runIf(process.platform === 'linux' && isRoot())('a container that is killed', () => {
  test('starts again where a process next to the new server has the number of the last one', async () => {
    const dataDir = await world.prepared();
    // In each container, processes get the same numbers as in the last one.
    const first = world.holder('service', dataDir, {}, CONTAINER);
    await first.next('ready');
    const number = await serverPid(dataDir);
    await first.kill();
    const file = join(dataDir, 'postgres/postmaster.pid');
    const text = await readFile(file, 'utf8');
    // The shell beside the server has the next number.
    await writeFile(file, text.replace(/^\d+/, String(number + 1)));
    await writeFile(join(dataDir, 'postgres/.s.PGSQL.5432.lock'), `${number + 1}\n`, { mode: 0o644 });

    const second = world.holder('service', dataDir, {}, CONTAINER);

    await second.next('ready');
    expect(await serverPid(dataDir)).toBe(number);
    await second.kill();
  });
});

/** Runs a program as process 1 of a namespace, which ends with it. */
const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];

describe('a PostgreSQL that Hitherto did not start', () => {
  test('is waited for in the folder, then named in the error, and left running', async () => {
    const folder = await realpath(await world.folder());
    const other = spawn(process.execPath, PRETENDING, { cwd: folder, stdio: 'ignore' });
    await writeFile(join(folder, 'postmaster.pid'), `${other.pid}\n`);

    const refused = clearFolder(folder, 100);

    await expect(refused).rejects.toMatchObject({
      code: 'in_use',
      message: expect.stringMatching(`^${folder} .*process ${other.pid}\\)`),
    });
    expect(other.signalCode).toBe(null);
    other.kill('SIGKILL');
  });

  test('is waited for behind a symbolic link, too', async () => {
    const folder = await world.folder();
    const [target, link] = [join(folder, 'target'), join(folder, 'link')];
    await mkdir(target);
    await symlink(target, link);
    const other = spawn(process.execPath, PRETENDING, { cwd: target, stdio: 'ignore' });
    await writeFile(join(target, 'postmaster.pid'), `${other.pid}\n`);

    const refused = clearFolder(link, 100);

    await expect(refused).rejects.toMatchObject({ code: 'in_use' });
    other.kill('SIGKILL');
  });

  test.runIf(process.platform === 'linux' && isRoot())(
    'is waited for by root without the right to see its folder, if it belongs to the owner of the folder',
    async () => {
      const folder = await world.folder();
      await chown(folder, NOBODY, NOBODY);
      const owners = spawn(process.execPath, PRETENDING, { cwd: folder, stdio: 'ignore', uid: NOBODY, gid: NOBODY });
      const strangers = spawn(process.execPath, PRETENDING, { stdio: 'ignore', uid: NOBODY - 1, gid: NOBODY });

      const ended = [await clearWithoutRights(folder, owners.pid), await clearWithoutRights(folder, strangers.pid)];

      expect(ended).toEqual(['in_use', 'cleared']);
      expect(owners.signalCode).toBe(null);
      owners.kill('SIGKILL');
      strangers.kill('SIGKILL');
    },
  );
});

/** The arguments of Node for a process that has the name of a server. */
const PRETENDING = ['-e', 'setInterval(() => {}, 1000)', 'postgres'];
const NOBODY = 65_534;

/** Clears the folder, which has the process id of a server, as a root that may not see the folders of other users' processes. */
async function clearWithoutRights(folder: string, pid: number | undefined): Promise<string> {
  await writeFile(join(folder, 'postmaster.pid'), `${pid}\n`);
  const program = `
    const { clearFolder } = await import(${JSON.stringify(new URL('../dist/postmaster.js', import.meta.url).href)});
    const ended = await clearFolder(${JSON.stringify(folder)}, 100).then(() => 'cleared', ({ code }) => code);
    process.stdout.write(String(ended));`;
  const { stdout } = await promisify(execFile)('setpriv', [
    '--bounding-set=-sys_ptrace',
    process.execPath,
    '--input-type=module',
    '--eval',
    program,
  ]);
  return stdout;
}

describe('Ctrl-C in a terminal', () => {
  test('leaves it to Hitherto to stop PostgreSQL', async () => {
    const holder = world.holder('service', await world.prepared());
    const { connection } = await holder.next('ready');

    process.kill(-holder.pid, 'SIGINT');

    await holder.next('interrupted');
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await holder.stop();
    expect(holder.events.filter(({ event }) => event === 'log')).toEqual([]);
  });
});

describe('several services', () => {
  test('on one folder: the second is rejected at once, naming the folder and the process', async () => {
    const dataDir = await world.prepared();
    const first = world.holder('service', dataDir);
    await first.next('ready');

    const second = await world.holder('service', dataDir).next('refused');

    expect(second).toMatchObject({ code: 'in_use', message: expect.stringContaining(`${dataDir} `) });
    expect(second.message).toContain(`process ${first.pid})`);
    await first.stop();
  });

  test('that start on an empty folder at the same time: exactly one gets it', async () => {
    const dataDir = await world.folder();

    const holders = [1, 2, 3].map(() => world.holder('service', dataDir));
    const outcomes = await Promise.all(
      holders.map((holder) => Promise.any([holder.next('ready'), holder.next('refused')])),
    );

    expect(outcomes.map(({ event, code }) => code ?? event).sort()).toEqual(['in_use', 'in_use', 'ready']);
    await Promise.all(holders.map((holder) => holder.stop()));
  });
});

describe('a command', () => {
  test('beside a service joins its server, and leaves it running', async () => {
    const dataDir = await world.prepared();
    const service = world.holder('service', dataDir);
    const { connection } = await service.next('ready');

    const command = world.holder('command', dataDir);
    const joined = await command.next('ready');
    await command.stop();

    expect(joined.connection).toEqual(connection);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await service.stop();
  });

  test('beside a service that is still starting waits for its server', async () => {
    const dataDir = await world.folder();
    const service = world.holder('service', dataDir);
    await service.next('progress');

    const command = world.holder('command', dataDir);
    const joined = await command.next('ready');

    expect(joined.connection).toEqual((await service.next('ready')).connection);
    await command.stop();
    await service.stop();
  });

  test('without a service runs a server of its own, and stops it at the end', async () => {
    const dataDir = await world.prepared();
    const command = world.holder('command', dataDir);
    await command.next('ready');
    const server = await serverPid(dataDir);

    await command.stop();

    await untilGone(server);
  });

  test.each(['command', 'service'] as const)('with a server of its own makes a %s wait until it ends', async (role) => {
    const dataDir = await world.prepared();
    const command = world.holder('command', dataDir);
    await command.next('ready');
    const other = world.holder(role, dataDir);
    const waiting = await other.next('progress');

    const before = [...other.events];
    await command.stop();

    expect(waiting.text).toBe(`waiting for another command of Hitherto (process ${command.pid}) to finish`);
    expect(before.some(({ event }) => event === 'ready')).toBe(false);
    await other.next('ready');
    await other.stop();
  });
});
