// Installs and builds the program if it is out of date. A stamp of everything that goes into a build makes a warm start immediate.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isWhole, pnpmUntilSignal } from './pnpm.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.hitherto-build');
const lockFile = join(root, '.hitherto-build.lock');
const LOCK_CHECK_MS = 200;
const PROGRAM_FOLDER = 'apps/hitherto';
const MAIN = `${PROGRAM_FOLDER}/dist/main.js`;
/** The program and its packages, without the dependencies of their tests. */
const PROGRAM = ['--filter-prod', '@hitherto/program...'];
/** What builds them is in the manifest of the repository. */
const TOOLS = ['--filter', 'hitherto'];

/** Builds the program and returns the path of its main file; ends the process if that fails. */
export async function build() {
  const main = join(root, MAIN);
  const stamp = stampOfSources();
  const isCurrent = () => existsSync(main) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
  if (isCurrent()) return main;
  await takeLock();
  if (!isCurrent()) await installAndBuild(stamp);
  releaseLock();
  return main;
}

async function installAndBuild(stamp) {
  process.stderr.write('Installing (the first time takes a minute) …\n');
  // The tools of tests are not fetched, and stay if they are there.
  await run([
    'install',
    '--reporter=append-only',
    '--loglevel=warn',
    ...(isWhole() ? [] : ['--prod', ...PROGRAM, ...TOOLS]),
  ]);
  process.stderr.write('Building …\n');
  await run([...PROGRAM, '--reporter=append-only', '--loglevel=warn', 'run', 'build']);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}

/** Waits until no other command installs and builds in this folder: two at once would damage each other's files. */
async function takeLock() {
  for (let isTold = false; ; await sleep(LOCK_CHECK_MS)) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      process.once('exit', releaseLock);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isHeld()) {
      rmSync(lockFile, { force: true });
    } else if (!isTold) {
      isTold = true;
      process.stderr.write('Waiting for another command that installs and builds in this folder …\n');
    }
  }
}

function releaseLock() {
  process.off('exit', releaseLock);
  rmSync(lockFile, { force: true });
}

/** Whether the process that took the lock may still run: it may have been killed. */
function isHeld() {
  try {
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

async function run(args) {
  // Standard output belongs to the program, so messages go to standard error.
  const status = await pnpmUntilSignal(args, { cwd: root, stdio: ['ignore', 2, 2] }).catch((error) => error.message);
  if (status === 0) return;
  process.stderr.write(`hitherto: "pnpm ${args.join(' ')}" failed (${status}).\n`);
  process.exit(1);
}

function stampOfSources() {
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.base.json', 'turbo.json'].concat(
    packagesOfProgram().flatMap((name) => [
      `${name}/package.json`,
      `${name}/tsconfig.build.json`,
      ...sourcesIn(`${name}/src`),
    ]),
  );
  const hash = createHash('sha256').update(process.platform + process.arch);
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** The folders of the program and the packages that it depends on. */
export function packagesOfProgram() {
  const folders = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  const manifests = folders
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) }));
  const found = manifests.filter(({ folder }) => folder === PROGRAM_FOLDER);
  for (const { dependencies = {} } of found) {
    found.push(...manifests.filter((other) => other.name in dependencies && !found.includes(other)));
  }
  return found.map(({ folder }) => folder);
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
