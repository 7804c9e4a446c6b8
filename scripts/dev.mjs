// Runs the service from its sources, on the embedded database, and restarts it when one changes: `npm run dev`.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// The scripts for websites are served as they were built.
const built = pnpm(['exec', 'turbo', 'run', 'build', '--filter=@hitherto/collector', '--output-logs=errors-only'], {
  cwd: root,
  stdio: ['ignore', 2, 2],
});
if (built.status !== 0) process.exit(1);
const tsx = [
  ...[join(root, 'node_modules/tsx/dist/cli.mjs'), 'watch', '--conditions=@hitherto/source'],
  // For JSX, in which all packages agree.
  ...['--tsconfig', join(root, 'apps/pages/tsconfig.json')],
];
const service = spawn(process.execPath, [...tsx, join(root, 'apps/hitherto/src/main.ts'), 'serve'], {
  stdio: 'inherit',
});
// Ctrl-C reaches the service by the terminal; this process ends after it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => service.kill());
service.on('exit', (code) => process.exit(code ?? 1));
