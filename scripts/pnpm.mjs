// Runs a pnpm command: with the pnpm that runs this script, or else the pinned one, fetched through npx,
// so that a machine with only Node and npm can build and test. `node scripts/pnpm.mjs exec turbo run build` works too.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PNPM = 'pnpm@10.34.9';
const root = dirname(dirname(fileURLToPath(import.meta.url)));

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
  return insidePnpm ? ['pnpm', all] : ['npx', ['--yes', PNPM, ...all]];
}

/** Within `npx -p PACKAGE COMMAND`, npx passes its options on, and the npx of pnpm would obey them. */
function environment() {
  const { npm_config_package, npm_config_call, ...env } = process.env;
  return { ...env, TURBO_TELEMETRY_DISABLED: '1', npm_config_update_notifier: 'false' };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const args = process.argv.slice(2);
  const isReady = args[0] !== 'exec' || isWhole() || pnpm(['install', '--loglevel=warn']).status === 0;
  process.exitCode = isReady ? (pnpm(args).status ?? 1) : 1;
}
