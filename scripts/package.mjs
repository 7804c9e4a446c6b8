// Makes the package `hitherto`, in dist: `npm run package`.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build, root } from './build.mjs';
import { bundle } from './bundle.mjs';

await build();
await bundle(join(root, 'dist/hitherto'));
execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', '..'], {
  cwd: join(root, 'dist/hitherto'),
  stdio: ['ignore', 'ignore', 'inherit'],
});
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const file = `dist/${name}-${version}.tgz`;
process.stdout.write(`${file}, ${(statSync(join(root, file)).size / 1e6).toFixed(1)} MB\n`);
