// Installs and builds what is out of date. A stamp of everything that goes into a build makes a warm start immediate.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.hitherto-build');
const MAIN = 'apps/hitherto/dist/main.js';

/** Builds the program and returns the path of its main file; ends the process if that fails. */
export function build() {
  const main = join(root, MAIN);
  const stamp = stampOfSources();
  if (existsSync(main) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return main;

  // Standard output belongs to the program, so messages go to standard error.
  const stdio = ['ignore', 2, 2];
  process.stderr.write('Installing (the first time takes a minute) …\n');
  run(['install', '--reporter=append-only', '--loglevel=warn'], stdio);
  process.stderr.write('Building …\n');
  run(
    ['exec', 'turbo', 'run', 'build', '--filter=@hitherto/program', '--output-logs=errors-only', '--log-prefix=none'],
    stdio,
  );
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
  return main;
}

function run(args, stdio) {
  const { status, error } = pnpm(args, { cwd: root, stdio });
  if (status === 0) return;
  process.stderr.write(`hitherto: "pnpm ${args.join(' ')}" failed${error ? ` (${error.message})` : ''}.\n`);
  process.exit(1);
}

function stampOfSources() {
  const packages = [
    'packages/domain',
    'packages/adapters',
    'packages/embedded-postgres',
    'packages/http',
    'apps/api',
    'apps/collector',
    'apps/pages',
    'apps/hitherto',
  ];
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.base.json', 'turbo.json'].concat(
    packages.flatMap((name) => [`${name}/package.json`, `${name}/tsconfig.build.json`, ...sourcesIn(`${name}/src`)]),
  );
  const hash = createHash('sha256').update(process.platform + process.arch);
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
