// Runs a pnpm command: with the pnpm that runs this script, or else the one in scripts/pnpm, which npm installs and checks
// against its lock file, so that a machine with only Node and npm can build and test. `node scripts/pnpm.mjs exec turbo run build`
// works too.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ownPnpm = join(root, 'scripts/pnpm');

/** Whether the tools of tests and development are installed: `npm start` installs what builds and runs the program. */
export const isWhole = () => existsSync(join(root, 'node_modules/vitest'));

/**
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 */
export function pnpm(args, options = {}) {
  return spawnSync(...commandOf(args), { stdio: 'inherit', env: environment(), ...options });
}

/**
 * The same, without holding the process up. A signal that ends the process ends all processes of the command first.
 *
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<number>} the exit code
 */
export function pnpmUntilSignal(args, options) {
  const child = spawn(...commandOf(args), { env: environment(), ...options, detached: true });
  const end = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    process.exit(1);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.once(signal, end);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      for (const signal of signals) process.off(signal, end);
      resolve(code ?? 1);
    });
  });
}

/** @param {string[]} args @returns {[string, string[]]} */
function commandOf(args) {
  const insidePnpm = process.env.npm_config_user_agent?.startsWith('pnpm/') ?? false;
  // Whoever tests after a start needs more: pnpm then creates node_modules again, and would ask first.
  const all = args[0] === 'install' ? [...args, '--config.confirmModulesPurge=false'] : args;
  if (insidePnpm) return ['pnpm', all];
  installPnpm();
  return [process.execPath, [join(ownPnpm, 'node_modules/pnpm/bin/pnpm.cjs'), ...all]];
}

/** Installs pnpm if it is not there in the version of its lock file. */
function installPnpm() {
  const { packages } = JSON.parse(readFileSync(join(ownPnpm, 'package-lock.json'), 'utf8'));
  const installed = join(ownPnpm, 'node_modules/pnpm/package.json');
  const isThere =
    existsSync(installed) &&
    JSON.parse(readFileSync(installed, 'utf8')).version === packages['node_modules/pnpm'].version;
  if (isThere) return;
  const npm = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', npm, { cwd: ownPnpm, stdio: ['ignore', 2, 2], env: environment() });
  if (status !== 0) throw new Error('npm could not install pnpm in scripts/pnpm. Its message is above.');
}

/** Turbo looks for pnpm on the path. */
function environment() {
  const path = [join(ownPnpm, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1', npm_config_update_notifier: 'false' };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const args = process.argv.slice(2);
  const isReady = args[0] !== 'exec' || isWhole() || pnpm(['install', '--loglevel=warn']).status === 0;
  process.exitCode = isReady ? (pnpm(args).status ?? 1) : 1;
}
