// Makes the packages that npm can install, in dist: `npm run package`. They are the program, and packages for other programs.
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './build.mjs';
import { bundle } from './bundle.mjs';
import { lock } from './lock.mjs';
import { pnpm } from './pnpm.mjs';

const LIBRARIES = ['client', 'domain', 'memory', 'tracker', 'words'];
const dist = join(root, 'dist');

const filters = ['program', ...LIBRARIES].map((name) => `--filter=@hitherto/${name}`);
run(['install', '--reporter=append-only', '--loglevel=warn']);
run(['exec', 'turbo', 'run', 'build', ...filters, '--output-logs=errors-only', '--log-prefix=none']);
rmSync(dist, { recursive: true, force: true });
await bundle(join(dist, 'hitherto'));
lock(join(dist, 'hitherto'));
const options = { cwd: join(dist, 'hitherto'), stdio: ['ignore', 'ignore', 'inherit'] };
execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', dist], options);
for (const name of LIBRARIES) run(['--dir', join('packages', name), 'pack', '--pack-destination', dist], 'ignore');
for (const name of readdirSync(dist).filter((each) => each.endsWith('.tgz'))) {
  process.stdout.write(`dist/${name}, ${(statSync(join(dist, name)).size / 1e6).toFixed(2)} MB\n`);
}

function run(args, output = 2) {
  // Only the files that it made are the output.
  const { status } = pnpm(args, { cwd: root, stdio: ['ignore', output, 2] });
  if (status !== 0) process.exit(1);
}
