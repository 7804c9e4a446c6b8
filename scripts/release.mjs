// Checks everything and makes the files of a release, in dist: `npm run release`. Nothing is published.
//
//   dist/*.tgz                            the packages of `npm run package`
//   dist/hitherto-VERSION-image-*.tar.gz  the image, for `docker load`, where Docker is there
//   dist/SHA256SUMS                       for `sha256sum --check`
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './build.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const dist = join(root, 'dist');

requireThat(textOf('git', ['status', '--porcelain']) === '', 'There are changes that are not committed.');
requireThat(
  textOf('git', ['tag', '--list', `v${version}`]) === '',
  `There is a tag v${version}: choose another version.`,
);
requireThat(
  new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm').test(
    readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  ),
  `CHANGELOG.md has no section "## [${version}] - DAY".`,
);
requireThat(
  existsSync(join(root, 'apps/hitherto/test/releases', version)),
  'What this version writes is not kept: run "npm run freeze", and commit the files.',
);

// Formatting, types, documentation and all tests, with the cases that take long.
run('.ci/run', [], { TESTS: 'full' });
run('npm', ['run', 'package']);
if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0) {
  run('npm', ['run', 'faults', '--', '--row', 'container', '--small']);
  const image = `hitherto:${version}`;
  // With the network of the machine, because some engines give builds none.
  run('docker', ['build', '--network=host', '-t', image, '.']);
  run('sh', ['-c', `docker save ${image} | gzip > dist/hitherto-${version}-image-${process.arch}.tar.gz`]);
} else {
  process.stderr.write('No image was made: Docker is not there, or does not run.\n');
}
requireThat(textOf('git', ['status', '--porcelain']) === '', 'The checks have changed files.');

const files = readdirSync(dist).filter((name) => name.endsWith('gz'));
const sums = files.map(
  (name) =>
    `${createHash('sha256')
      .update(readFileSync(join(dist, name)))
      .digest('hex')}  ${name}\n`,
);
writeFileSync(join(dist, 'SHA256SUMS'), sums.join(''));
process.stdout.write(
  `${sums.join('')}\nTo release them: git tag v${version}, push the tag, and publish the files of dist.\n`,
);

function requireThat(holds, fault) {
  if (holds) return;
  process.stderr.write(`release: ${fault}\n`);
  process.exit(1);
}

function run(file, args, env = {}) {
  process.stderr.write(`\n> ${[file, ...args].join(' ')}\n`);
  const { status } = spawnSync(file, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
  requireThat(status === 0, `"${[file, ...args].join(' ')}" failed.`);
}

function textOf(file, args) {
  return execFileSync(file, args, { cwd: root, encoding: 'utf8' }).trim();
}
