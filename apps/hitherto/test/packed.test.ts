import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, version } from '@hitherto/testing/machine';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The packages for other programs, installed as npm installs any other; architecture.md shows the domain in one.

const TYPES = '@types/node@20.19.43';
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023'],
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    types: ['node'],
  },
  files: ['example.ts', 'others.ts'],
};

/** Uses the packages that know the API and browsers. */
const OTHERS = `
import { createClient } from '@hitherto/client';
import { trackEvent } from '@hitherto/tracker';
trackEvent('Signup', { plan: 'pro' });
console.log(typeof createClient({ baseUrl: 'https://stats.example', key: 'hto_x' }).GET);
`;

let folder: string;
let environment: NodeJS.ProcessEnv;

const run = (file: string, args: readonly string[], cwd = folder) =>
  promisify(execFile)(file, args, { cwd, env: environment });

/** The example of the page, which prints the url of its website. */
async function exampleOfPage(): Promise<string> {
  const page = await readFile(join(root, 'docs/architecture.md'), 'utf8');
  const [, code] = page.split('## The domain in another program')[1]?.split('```ts\n') ?? [];
  return `${code?.split('```')[0]}console.log(website.url);\n`;
}

async function pack(name: string): Promise<string> {
  await run(
    process.execPath,
    ['scripts/pnpm.mjs', '--dir', `packages/${name}`, 'pack', '--pack-destination', folder],
    root,
  );
  return `./hitherto-${name}-${version}.tgz`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hitherto-packed-'));
  const home = join(folder, 'home');
  await mkdir(home);
  environment = { ...process.env, HOME: home };
  const packages: string[] = [];
  for (const name of ['words', 'domain', 'memory', 'client', 'tracker']) packages.push(await pack(name));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('they bring only what they import', async () => {
  const installed = await readdir(join(folder, 'node_modules'));

  expect(installed.filter((name) => !name.startsWith('.')).sort()).toEqual([
    '@hitherto',
    'ipaddr.js',
    'openapi-fetch',
    'openapi-typescript-helpers',
    'temporal-polyfill',
    'temporal-spec',
    'temporal-utils',
  ]);
});

test('they run in JavaScript, and their types are right in strict TypeScript', async () => {
  const example = await exampleOfPage();
  await writeFile(join(folder, 'example.js'), example);
  await writeFile(join(folder, 'example.ts'), example);
  await writeFile(join(folder, 'others.js'), OTHERS);
  await writeFile(join(folder, 'others.ts'), OTHERS);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));

  const { stdout } = await run(process.execPath, ['example.js']);
  const others = await run(process.execPath, ['others.js']);
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', TYPES]);
  const checked = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')]).catch((error) => error);

  expect(stdout).toBe('https://example.com\n');
  expect(others.stdout).toBe('function\n');
  expect(checked.stdout).toBe('');
});
