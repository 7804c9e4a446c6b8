// Runs a pnpm command: with the pnpm that runs this script, or else the pinned one, fetched through npx,
// so that a machine with only Node and npm can build and test. `node scripts/pnpm.mjs exec turbo run build` works too.
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const PNPM = 'pnpm@10.34.9';

/**
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 */
export function pnpm(args, options = {}) {
  const insidePnpm = process.env.npm_config_user_agent?.startsWith('pnpm/') ?? false;
  const [command, ...prefix] = insidePnpm ? ['pnpm'] : ['npx', '--yes', PNPM];
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', npm_config_update_notifier: 'false' };
  return spawnSync(command, [...prefix, ...args], { stdio: 'inherit', env, ...options });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = pnpm(process.argv.slice(2)).status ?? 1;
}
