// Builds the program and the fault suite, then runs the suite: `npm run faults`.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pnpm } from './pnpm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stdio = ['ignore', 2, 2];
const steps = [
  ['install', '--reporter=append-only', '--loglevel=warn'],
  ['exec', 'turbo', 'run', 'build', '--filter=@hitherto/faults', '--output-logs=errors-only', '--log-prefix=none'],
];
for (const args of steps) {
  const { status } = pnpm(args, { cwd: root, stdio });
  if (status !== 0) process.exit(1);
}
await import(pathToFileURL(join(root, 'packages/faults/dist/main.js')).href);
