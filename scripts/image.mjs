// Makes the folder of an image, with everything that the program needs: `node scripts/image.mjs FOLDER [ARCHITECTURE]`.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, root } from './build.mjs';
import { bundle } from './bundle.mjs';
import { lock } from './lock.mjs';

const [folder, architecture = process.arch] = process.argv.slice(2);
const target = resolve(folder);

/** Files in packages that only compilers and other programs read. */
const UNUSED = [
  /\/native\/(?:include|share\/(?:doc|man)|lib\/pkgconfig)\//,
  /\/native\/lib\/(?:.*\.a|lib(?:ecpg|pgtypes)[^/]*)$/,
  /\/native\/bin\/(?!postgres$|initdb$)[^/]*$/,
  /-ipv[46]\.mmdb$/,
];

await build();
await bundle(target);
lock(target);
execFileSync(
  'npm',
  [
    ...['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    ...['--os=linux', '--libc=glibc', `--cpu=${architecture}`],
  ],
  { cwd: target, stdio: ['ignore', 2, 2] },
);
const modules = join(target, 'node_modules');
for (const name of readdirSync(modules, { recursive: true, encoding: 'utf8' })) {
  const path = join(modules, name);
  if (UNUSED.some((pattern) => pattern.test(path))) rmSync(path, { force: true, recursive: true });
}
cpSync(join(root, 'scripts/health.mjs'), join(target, 'health.mjs'));
chmodSync(join(target, 'lib/main.js'), 0o755);
