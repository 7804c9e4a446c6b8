// Builds the program, then runs a file that drives it from the sources: `npm run faults`, `npm run bench -- --full`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const filters = ['--filter=@hitherto/program', '--filter=@hitherto/testing'];
const steps = [
  ['install', '--reporter=append-only', '--loglevel=warn'],
  ['exec', 'turbo', 'run', 'build', ...filters, '--output-logs=errors-only', '--log-prefix=none'],
];
for (const args of steps) {
  const { status } = pnpm(args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}
const [file, ...args] = process.argv.slice(2);
const tsx = ['--conditions=@hitherto/source', '--import', import.meta.resolve('tsx')];
const child = spawn(process.execPath, [...tsx, join(root, file), ...args], { stdio: 'inherit' });
// Ctrl-C reaches the child by the terminal; this process ends after it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill());
const [code] = await once(child, 'exit');
process.exit(code ?? 1);
